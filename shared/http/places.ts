import { Problem } from './problems.ts';

/** A bound on the memory that requests hold together: whoever finds no room is told to come back. */
export type Places = {
  /** @throws Problem not_ready when there is no room for so many bytes now */
  run<T>(bytes: number, work: () => Promise<T>): Promise<T>;
};

export function createPlaces(totalBytes: number): Places {
  let takenBytes = 0;
  return {
    run: async (bytes, work) => {
      if (takenBytes + bytes > totalBytes)
        throw new Problem('not_ready', { detail: 'too many files are under way: come back' });
      takenBytes += bytes;
      try {
        return await work();
      } finally {
        takenBytes -= bytes;
      }
    },
  };
}
