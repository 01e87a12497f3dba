/** Waiting items, each under its own number. */
export type NumberedItems<T> = {
  /** The number of the next item; the first is 0. */
  readonly next: number;
  add(item: T): void;
  /** Returns the item of a number and removes it; undefined if there is none. */
  take(number: number): T | undefined;
  /** The item that has waited longest. */
  oldest(): T | undefined;
  takeOldest(): T | undefined;
};

type Slots<T> = (T | undefined)[];

const smallest = 64;

const emptySlots = <T>(length: number): Slots<T> => Array.from({ length }, () => undefined);

/**
 * A ring buffer, for items that are taken nearly in the order in which they came. A `Map` would
 * work, but V8 moves its entries to a new table every few dozen changes, and an old table still
 * refers to its last entries and to the next table. Once one such table is in the old space,
 * everything that it refers to survives the small garbage collections.
 */
export function createNumbered<T>(): NumberedItems<T> {
  let slots = emptySlots<T>(smallest);
  /** The oldest number in use, and the next one. */
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
