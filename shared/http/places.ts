import { Problem } from './problems.ts';

/** A bound on the memory that requests hold together: whoever finds no room is told to come back. */
export type Places = {
  /** @throws Problem not_ready when there is no room for so many bytes of this owner now */
  run<T>(wanted: { owner: string; bytes: number }, work: () => Promise<T>): Promise<T>;
};

/** `ownerBytes`: what one owner may hold of it, so that nobody takes the room of all others. */
export function createPlaces({ totalBytes, ownerBytes }: { totalBytes: number; ownerBytes: number }): Places {
  const taken = new Map<string, number>();
  let takenBytes = 0;
  const take = (owner: string, bytes: number) => {
    takenBytes += bytes;
    const held = (taken.get(owner) ?? 0) + bytes;
    if (held > 0) taken.set(owner, held);
    else taken.delete(owner);
  };
  return {
    run: async ({ owner, bytes }, work) => {
      if (takenBytes + bytes > totalBytes || (taken.get(owner) ?? 0) + bytes > ownerBytes)
        throw new Problem('not_ready', { detail: 'too many files are under way: come back' });
      take(owner, bytes);
      try {
        return await work();
      } finally {
        take(owner, -bytes);
      }
    },
  };
}
