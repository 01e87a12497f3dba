import type { BackupStore } from '../segments.ts';

/** A target in memory. */
export function createMemoryStore(): BackupStore & { objects: Map<string, Uint8Array> } {
  const objects = new Map<string, Uint8Array>();
  const storedAtMs = (key: string) => (objects.has(key) ? 1 : undefined);
  return {
    objects,
    put: (key, content) => Promise.resolve(void objects.set(key, content)),
    create: (key, content) => {
      if (objects.has(key)) return Promise.resolve(false);
      objects.set(key, content);
      return Promise.resolve(true);
    },
    get: (key) => Promise.resolve(objects.get(key)),
    remove: (key) => Promise.resolve(void objects.delete(key)),
    storedAtMs: (key) => Promise.resolve(storedAtMs(key)),
    list: () => Promise.reject(new Error('a backup lists no times')),
    names: async function* (folder, after = '') {
      for (const key of objects.keys()) {
        const name = key.slice(folder.length + 1);
        if (key.startsWith(`${folder}/`) && name > after) yield await Promise.resolve(name);
      }
    },
    removeAll: () => Promise.reject(new Error('a backup removes no folder')),
  };
}
