/** A bounded map that evicts entries that were neither set nor read for long. */
type GenerationalMap<K, V> = {
  readonly get: (key: K) => V | undefined;
  readonly set: (key: K, value: V) => void;
  readonly delete: (key: K) => void;
  readonly clear: () => void;
};

/**
 * Two generations of up to `limit` entries: when the young one is full, it becomes the old one, and
 * the old one is dropped. It costs no more than two maps. A list in order of use would cost a
 * deletion and an insertion for each look-up.
 */
export function createGenerationalMap<K, V>(limit: number): GenerationalMap<K, V> {
  let young = new Map<K, V>();
  let old = new Map<K, V>();

  function set(key: K, value: V): void {
    if (young.size >= limit && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    set,
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const aged = old.get(key);
      if (aged !== undefined) set(key, aged);
      return aged;
    },
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    clear() {
      young.clear();
      old.clear();
    },
  };
}
