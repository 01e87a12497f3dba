import type { Logger } from '#shared/platform/logging/logger.ts';

export type WatchOptions = {
  /** The version of an operation's page; undefined if it has none. */
  version(operationId: string): Promise<string | undefined>;
  logger: Logger;
  everyMs?: number;
  /** The most watchers of one operation: the payer's devices, and the shop's. */
  maxPerOperation?: number;
  /** The most watchers from one address, which may be that of a phone network. */
  maxPerAddress?: number;
  maxWatchers?: number;
};

type Watcher = {
  /** The version that the watcher's page shows. */
  lastVersion: string;
  /** The client's address. */
  address: string;
  changed(version: string): void;
  /** The watch ends: no more calls. */
  ended(): void;
};

export type StatusWatch = {
  /** Follows an operation until the returned function is called; undefined at a limit. */
  add(operationId: string, watcher: Watcher): (() => void) | undefined;
  /** The number of watchers. */
  count(): number;
  stop(): void;
};

const atOnce = 16;

/**
 * Notifies watchers when their page has changed, in one round a second for all of them, and only
 * while there are any. The reads of a round share one read of the log, and a slow round delays the
 * next one.
 */
export function createWatch(options: WatchOptions): StatusWatch {
  const { version, logger, everyMs = 1_000 } = options;
  const { maxPerOperation = 8, maxPerAddress = 256, maxWatchers = 2_000 } = options;
  const watchers = new Map<string, Set<Watcher>>();
  const ofAddresses = new Map<string, number>();
  let count = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const notify = async (operationId: string) => {
    const now = await version(operationId);
    for (const watcher of watchers.get(operationId) ?? []) {
      if (now === undefined || watcher.lastVersion === now) continue;
      watcher.lastVersion = now;
      watcher.changed(now);
    }
  };

  const round = async () => {
    const failures = await collectFailures([...watchers.keys()], notify, () => stopped);
    // One log line a round, because the store may be down. The next round retries.
    if (failures.length > 0)
      logger.warn(
        { err: failures[0], operations: failures.length },
        'operations could not be read: live updates are delayed',
      );
    timer = undefined;
    schedule();
  };
  const schedule = () => {
    if (stopped || count === 0) return;
    timer ??= setTimeout(() => void round(), everyMs).unref();
  };

  const counted = (address: string, change: 1 | -1) => {
    const now = (ofAddresses.get(address) ?? 0) + change;
    if (now > 0) ofAddresses.set(address, now);
    else ofAddresses.delete(address);
    count += change;
  };

  return {
    add: (operationId, watcher) => {
      const { address } = watcher;
      const own = watchers.get(operationId) ?? new Set();
      const isFull =
        count >= maxWatchers ||
        own.size >= maxPerOperation ||
        (ofAddresses.get(address) ?? 0) >= maxPerAddress;
      if (stopped || isFull) return undefined;
      watchers.set(operationId, own.add(watcher));
      counted(address, 1);
      schedule();
      return () => {
        if (!own.delete(watcher)) return;
        counted(address, -1);
        if (own.size === 0 && watchers.get(operationId) === own) watchers.delete(operationId);
      };
    },
    count: () => count,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      for (const watcher of [...watchers.values()].flatMap((own) => [...own])) watcher.ended();
    },
  };
}

/** Runs the call for each id, `atOnce` at a time; returns what the failed ones threw. */
async function collectFailures(
  ids: readonly string[],
  call: (id: string) => Promise<void>,
  isStopped: () => boolean,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (let from = 0; from < ids.length && !isStopped(); from += atOnce) {
    const results = await Promise.allSettled(ids.slice(from, from + atOnce).map(call));
    for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
  }
  return failures;
}
