import { Problem } from './problems.ts';

/** The owner of a slot by kind: a shop, an address. */
export type SlotOwners<Kind extends string> = Readonly<Record<Kind, string>>;

/** The part of a capacity that one request holds; it grows until it is released. */
export type CapacitySlot = {
  /** @throws Problem not_ready when the capacity is exceeded, or the slot was released */
  acquire(amount: number): void;
  release(): void;
};

/** A bound on what all requests hold together, in bytes or as a count. */
type Slots<Kind extends string> = {
  /** An empty slot. */
  open(owners: SlotOwners<Kind>): CapacitySlot;
  /**
   * Holds an amount while the work runs.
   * @throws Problem not_ready when the capacity is exceeded
   */
  run<T>(owners: SlotOwners<Kind>, amount: number, work: () => Promise<T>): Promise<T>;
};

export type Capacity<Kind extends string> = {
  total: number;
  /** The most that one owner of each kind may hold, so that it can't use up the total. */
  perOwner: Readonly<Record<Kind, number>>;
};

export function createSlots<Kind extends string>({ total, perOwner }: Capacity<Kind>): Slots<Kind> {
  const limits = Object.entries(perOwner) as [Kind, number][];
  const used = new Map<string, number>();
  let usedInTotal = 0;
  const add = (keys: readonly string[], amount: number) => {
    usedInTotal += amount;
    for (const key of keys) {
      const held = (used.get(key) ?? 0) + amount;
      if (held > 0) used.set(key, held);
      else used.delete(key);
    }
  };
  const open = (owners: SlotOwners<Kind>): CapacitySlot => {
    const keys = limits.map(([kind]) => `${kind} ${owners[kind]}`);
    let held = 0;
    let released = false;
    const isFull = (amount: number) =>
      usedInTotal + amount > total ||
      limits.some(([, limit], index) => (used.get(keys[index] ?? '') ?? 0) + amount > limit);
    return {
      acquire: (amount) => {
        if (released || isFull(amount))
          throw new Problem('not_ready', { detail: 'too many bodies in progress: retry later' });
        held += amount;
        add(keys, amount);
      },
      release: () => {
        if (!released) add(keys, -held);
        released = true;
      },
    };
  };
  return {
    open,
    run: async (owners, amount, work) => {
      const slot = open(owners);
      try {
        slot.acquire(amount);
        return await work();
      } finally {
        slot.release();
      }
    },
  };
}
