import { setTimeout as delay } from 'node:timers/promises';

/** Finds those of the ids that exist. */
export type FindAll = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Looks ids up together: one query at a time, for all ids that came in meanwhile and within
 * `gatherMs`.
 */
export function createLookup(find: FindAll, gatherMs = 20): (id: string) => Promise<boolean> {
  let gathering: { ids: string[]; existing: Promise<ReadonlySet<string>> } | undefined;
  let running: Promise<unknown> = Promise.resolve();
  const gather = () => {
    const ids: string[] = [];
    const result = Promise.all([running, delay(gatherMs)]).then(() => {
      gathering = undefined;
      return find(ids);
    });
    running = result.catch(() => undefined);
    return { ids, existing: result };
  };
  return async (id) => {
    gathering ??= gather();
    gathering.ids.push(id);
    return (await gathering.existing).has(id);
  };
}
