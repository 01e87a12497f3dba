import { Problem } from './problems.ts';

/** A bound on requests that hold much memory each: whoever finds no place is told to come back. */
export type Places = {
  /** @throws Problem not_ready when all places are taken */
  run<T>(work: () => Promise<T>): Promise<T>;
};

export function createPlaces(count: number): Places {
  let taken = 0;
  return {
    run: async (work) => {
      if (taken >= count)
        throw new Problem('not_ready', { detail: 'too many files are under way: come back' });
      taken += 1;
      try {
        return await work();
      } finally {
        taken -= 1;
      }
    },
  };
}
