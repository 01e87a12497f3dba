/** Items that wait for something, each under a number of its own. */
export type Numbered<T> = {
  /** The number that the next one gets; the first gets 0. */
  readonly next: number;
  add(item: T): void;
  /**
   * What is kept under a number, which is kept no longer; undefined for a number that was never
   * given or is taken.
   */
  take(number: number): T | undefined;
  /** What has been kept longest. */
  oldest(): T | undefined;
  takeOldest(): T | undefined;
};

type Slots<T> = (T | undefined)[];

const smallest = 64;

const emptySlots = <T>(length: number): Slots<T> => Array.from({ length }, () => undefined);

/**
 * A ring, for items that are taken nearly in the order in which they came. A map would do, but one
 * whose entries come and go thousands of times a second moves to another table each few dozen, and
 * a table that was left still holds its last entries and the table after it: once one of them is
 * old, all that ever waited outlives the small collections.
 */
export function createNumbered<T>(): Numbered<T> {
  let slots = emptySlots<T>(smallest);
  /** The oldest that is kept, and the next to be given. */
  let [first, next] = [0, 0];

  const grow = () => {
    const larger = emptySlots<T>(slots.length * 2);
    for (let number = first; number < next; number += 1)
      larger[number % larger.length] = slots[number % slots.length];
    slots = larger;
  };
  const take = (number: number): T | undefined => {
    if (!(number >= first && number < next)) return undefined;
    const at = number % slots.length;
    const item = slots[at];
    slots[at] = undefined;
    while (first < next && slots[first % slots.length] === undefined) first += 1;
    return item;
  };

  return {
    add: (item) => {
      if (next - first === slots.length) grow();
      slots[next % slots.length] = item;
      next += 1;
    },
    get next() {
      return next;
    },
    take,
    oldest: () => slots[first % slots.length],
    takeOldest: () => take(first),
  };
}
