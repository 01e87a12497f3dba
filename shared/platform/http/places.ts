import { Problem } from './problems.ts';

/** Whose each place is, by kind: a shop's, an address's. */
export type Owners<Kind extends string> = Readonly<Record<Kind, string>>;

/** What one request holds of a room; it grows until it leaves. */
export type Place = {
  /** @throws Problem not_ready when there is no room for so much more, or the request has left */
  take(amount: number): void;
  leave(): void;
};

/**
 * A bound on what requests hold together, in bytes or in numbers: a request that finds no room gets
 * `not_ready`.
 */
type Places<Kind extends string> = {
  enter(owners: Owners<Kind>): Place;
  /**
   * Holds so much while the work goes on. @throws Problem not_ready when there is no room for it
   */
  run<T>(owners: Owners<Kind>, amount: number, work: () => Promise<T>): Promise<T>;
};

export type Room<Kind extends string> = {
  total: number;
  /** What one owner of each kind may hold of it, so that nobody takes the room of all others. */
  ofOne: Readonly<Record<Kind, number>>;
};

export function createPlaces<Kind extends string>({ total, ofOne }: Room<Kind>): Places<Kind> {
  const limits = Object.entries(ofOne) as [Kind, number][];
  const taken = new Map<string, number>();
  let all = 0;
  const add = (keys: readonly string[], amount: number) => {
    all += amount;
    for (const key of keys) {
      const held = (taken.get(key) ?? 0) + amount;
      if (held > 0) taken.set(key, held);
      else taken.delete(key);
    }
  };
  const enter = (owners: Owners<Kind>): Place => {
    const keys = limits.map(([kind]) => `${kind} ${owners[kind]}`);
    let held = 0;
    let gone = false;
    const isFull = (amount: number) =>
      all + amount > total ||
      limits.some(([, limit], index) => (taken.get(keys[index] ?? '') ?? 0) + amount > limit);
    return {
      take: (amount) => {
        if (gone || isFull(amount))
          throw new Problem('not_ready', {
            detail: 'too many request bodies in progress: retry later',
          });
        held += amount;
        add(keys, amount);
      },
      leave: () => {
        if (!gone) add(keys, -held);
        gone = true;
      },
    };
  };
  return {
    enter,
    run: async (owners, amount, work) => {
      const place = enter(owners);
      try {
        place.take(amount);
        return await work();
      } finally {
        place.leave();
      }
    },
  };
}
