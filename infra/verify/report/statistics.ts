/** The middle of a set of figures, with the least and the most. */
export type Spread = { median: number; min: number; max: number };

export function spread(figures: readonly number[]): Spread {
  const sorted = Float64Array.from(figures).toSorted();
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return {
    median: sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
  };
}

/** The figure below which a `share` of the sorted ones lie; 0 when there are none. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
