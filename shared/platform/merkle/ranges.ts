/** The leaves from the first, inclusive, to the second, exclusive. */
export type Range = readonly [start: number, end: number];

/** Where RFC 9162 splits a range: at the largest power of two below its size. */
export function splitPoint([start, end]: Range): number {
  let half = 1;
  while (half * 2 < end - start) half *= 2;
  return start + half;
}

/**
 * The subtrees whose hashes are the inclusion proof of a leaf in a tree of `size` leaves, lowest
 * first.
 */
export function inclusionRanges(index: number, size: number): Range[] {
  const ranges: Range[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = splitPoint([start, end]);
    ranges.push(index < middle ? [middle, end] : [start, middle]);
    if (index < middle) end = middle;
    else start = middle;
  }
  return ranges.toReversed();
}

/**
 * The subtrees whose hashes are the consistency proof of a tree of `size` leaves with the tree of
 * its first `from` leaves, lowest first. None in the trivial cases.
 */
export function consistencyRanges(from: number, size: number): Range[] {
  if (from === 0 || from === size) return [];
  const ranges: Range[] = [];
  let [start, end] = [0, size];
  while (from !== end) {
    const middle = splitPoint([start, end]);
    ranges.push(from <= middle ? [middle, end] : [start, middle]);
    if (from <= middle) end = middle;
    else start = middle;
  }
  if (start > 0) ranges.push([start, end]);
  return ranges.toReversed();
}
