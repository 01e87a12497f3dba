/**
 * Counts of durations in buckets that are 2 % wide: small to send, cheap to add up, no figure more
 * than 2 % off.
 */
export type Histogram = { readonly counts: Uint32Array; total: number };

/** Buckets that hold something, as pairs of index and count, one after the other. */
export type Sparse = readonly number[];

const leastMs = 0.05;
const width = Math.log(1.02);
/** The last bucket begins past two minutes, longer than anybody waits. */
const buckets = 750;

export const createHistogram = (): Histogram => ({ counts: new Uint32Array(buckets), total: 0 });

/** Counts a duration in milliseconds. */
export function addTo(histogram: Histogram, ms: number): void {
  const index = ms <= leastMs ? 0 : Math.ceil(Math.log(ms / leastMs) / width);
  const kept = Math.min(buckets - 1, index);
  histogram.counts[kept] = (histogram.counts[kept] ?? 0) + 1;
  histogram.total += 1;
}

/**
 * The duration in milliseconds that a `share` of all do not exceed, at most 2 % too high; NaN where
 * there are none.
 */
export function percentileOf({ counts, total }: Histogram, share: number): number {
  if (total === 0) return Number.NaN;
  const wanted = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    seen += count;
    if (seen >= wanted) return leastMs * Math.exp(index * width);
  }
  return Number.NaN;
}

export function toSparse({ counts }: Histogram): Sparse {
  const sparse: number[] = [];
  for (const [index, count] of counts.entries()) if (count > 0) sparse.push(index, count);
  return sparse;
}

export function addSparse(histogram: Histogram, sparse: Sparse): void {
  for (let at = 0; at + 1 < sparse.length; at += 2) {
    const [index = 0, count = 0] = [sparse[at], sparse[at + 1]];
    histogram.counts[index] = (histogram.counts[index] ?? 0) + count;
    histogram.total += count;
  }
}

export function clear(histogram: Histogram): void {
  histogram.counts.fill(0);
  histogram.total = 0;
}
