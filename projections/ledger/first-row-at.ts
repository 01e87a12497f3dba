/**
 * The first of N rows, whose times never decrease, at or after a time; N if all are before it. It
 * reads one row for each bit of N, so that no index by time is needed.
 */
export async function firstAt(
  count: number,
  time: Date,
  read: (row: number) => Promise<Date>,
): Promise<number> {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await read(middle)) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
