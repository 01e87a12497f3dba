/** Seeded random choices. Not for secrets. */
export type Random = {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from 0 up to `limit`. */
  below(limit: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** From `least` up to `most`. */
  between(least: number, most: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  shuffled<T>(items: readonly T[]): T[];
};

/** A generator of its own for each seed (mulberry32). @param seed a 32-bit number */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    between: (least, most) => least + next() * (most - least),
    pick: (items) => items[below(items.length)] ?? items[0],
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .toSorted((left, right) => left.at - right.at)
        .map(({ item }) => item),
  };
}
