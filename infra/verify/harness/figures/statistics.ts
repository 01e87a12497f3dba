/** The middle of them; NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted();
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

/** The median of a set of figures, with the minimum and the maximum. */
export type Spread = { median: number; min: number; max: number };

/** All 0 if there are none. */
export const spread = (figures: readonly number[]): Spread =>
  figures.length === 0
    ? { median: 0, min: 0, max: 0 }
    : { median: median(figures), min: Math.min(...figures), max: Math.max(...figures) };

export type Percentiles = ReturnType<typeof computePercentiles>;

/** What reports show of latencies; NaN where there are none. */
export function computePercentiles(latencies: readonly number[]) {
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (share: number) => (sorted.length === 0 ? Number.NaN : percentile(sorted, share));
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** The quantile of sorted figures; 0 if there are none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
