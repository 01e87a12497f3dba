import { rolloutMs } from '#shared/domain/log/keys.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';

type KeyInUse = { key: LogKey; sinceMs: number };
type Replacement = { by: string; atMs: number };

/**
 * Tracks since when a service's key is replaced: a day later it signs nothing any more.
 * @param keys of several of a service the newest comes first
 */
export function createSigningKeyUse(keys: readonly LogKey[]) {
  const ages = new Map(keys.map(({ id }, index) => [id, index]));
  const newest = new Map<string, KeyInUse>();
  const replaced = new Map<string, Replacement>();
  const known = new Set<string>();

  const begin = (key: LogKey, atMs: number): void => {
    known.add(key.id);
    const other = newest.get(key.service);
    // An older key that signs only after a newer one does not replace it.
    const isNewest = !other || (ages.get(key.id) ?? 0) < (ages.get(other.key.id) ?? 0);
    if (!isNewest) return void replaced.set(key.id, { by: other.key.id, atMs: other.sinceMs });
    if (other) replaced.set(other.key.id, { by: key.id, atMs });
    newest.set(key.service, { key, sinceMs: atMs });
  };
  return {
    /** Why a key may not have signed an event at this time; undefined if it may. */
    whyEnded: (key: LogKey, atMs: number): string | undefined => {
      const { service, id } = key;
      if (!known.has(id)) begin(key, atMs);
      const end = replaced.get(id);
      if (!end || atMs <= end.atMs + rolloutMs) return undefined;
      const at = new Date(end.atMs).toISOString();
      return `it is signed with key ${id} of ${service}, which ${end.by} replaced at ${at}`;
    },
  };
}
