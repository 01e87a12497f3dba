import { noteKeyUse } from '#shared/application/directory/key-use.ts';
import { LRUCache } from 'lru-cache';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';

/** Records when API keys were last used, to within `everyMs`, outside of requests. */
export type KeyUse = {
  /** Returns at once. */
  noteUse(keyId: string): void;
  /** Records pending uses within a few seconds. */
  stop(): Promise<void>;
};

type KeyUseOptions = {
  store: Pick<EventStore, 'append' | 'read'>;
  logger: Logger;
  /** A key is recorded at most once in this time. */
  everyMs?: number;
  /** Keys that are used within this time are recorded together. */
  gatherMs?: number;
  /** How long a stop may take; 1 s by default. */
  longestEndMs?: number;
  now?: () => number;
};

const defaultEveryMs = 5 * 60_000;
const defaultGatherMs = 1_000;
const retryAfterMs = 30_000;
const maxCached = 50_000;
const lanes = 4;
const defaultLongestEndMs = 1_000;

export function createApiKeyUse(options: KeyUseOptions): KeyUse {
  const {
    store,
    logger,
    everyMs = defaultEveryMs,
    gatherMs = defaultGatherMs,
    longestEndMs = defaultLongestEndMs,
    now = Date.now,
  } = options;
  /** For each key: until when its use need not be recorded again. Oldest first. */
  const skipsUntil = new LRUCache<string, number>({ max: maxCached });
  const pending = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let noting: Promise<unknown> | undefined;

  const skipUntil = (keyId: string, untilMs: number) => {
    skipsUntil.set(keyId, untilMs);
  };

  const noteAll = async () => {
    const lane = async () => {
      for (const [keyId, usedAtMs] of pending) {
        pending.delete(keyId);
        try {
          await noteKeyUse(store, { keyId, usedAtMs, everyMs });
        } catch (error) {
          // Not critical: a later use is recorded.
          skipUntil(keyId, now() + retryAfterMs);
          logger.warn({ err: error, keyId }, 'the use of an API key could not be recorded');
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  };
  const scheduleNote = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      // One round at a time, however long the log takes.
      noting = (noting ?? Promise.resolve()).then(noteAll);
    }, gatherMs).unref();
  };

  return {
    noteUse: (keyId) => {
      const nowMs = now();
      if (nowMs < (skipsUntil.get(keyId) ?? 0)) return;
      skipUntil(keyId, nowMs + everyMs);
      pending.set(keyId, nowMs);
      scheduleNote();
    },
    stop: async () => {
      clearTimeout(timer);
      // An unavailable log must not delay the stop.
      const enough = setTimeout(() => pending.clear(), longestEndMs);
      await noting;
      await noteAll();
      clearTimeout(enough);
    },
  };
}
