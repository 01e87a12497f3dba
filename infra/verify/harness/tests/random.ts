export type Random = ReturnType<typeof createRandom>;

/**
 * Random choices by a generator of its own for each seed (mulberry32). Not for secrets.
 * @param seed a 32-bit number
 */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  /** From 0 up to 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from 0 up to `limit`. */
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    /** True with the given probability. */
    chance: (probability: number) => next() < probability,
    /** From `least` up to `most`. */
    between: (least: number, most: number) => least + next() * (most - least),
    pick: <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0],
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, at: next() }))
        .toSorted((left, right) => left.at - right.at)
        .map(({ item }) => item),
  };
}
