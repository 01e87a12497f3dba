import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';

export type ProjectionLag = {
  /**
   * Events in the log that are not in the tables: exact up to 1,000, above that estimated from the
   * log's length.
   */
  lag_events: number;
  /** How long the oldest of them has been in the log; 0 when there is none. */
  lag_ms: number;
};

type LagRequest = { position: bigint | undefined; streamPrefixes: readonly string[] };

const countAtMost = 1_000;
const deadlineMs = 2_000;

/**
 * The oldest event in the log that is not in the tables; undefined if there is none.
 * @throws when the store can't be read in time
 */
export async function firstMissing(
  store: EventStore,
  request: LagRequest,
): Promise<StoredEvent | undefined> {
  for await (const batch of readOn(store, request, AbortSignal.timeout(deadlineMs))) {
    for (const item of batch) {
      if (item.kind === 'event') return item.event;
      if (item.kind === 'caught_up') return undefined;
    }
  }
  throw unread();
}

/** The log from the checkpoint on, with the read model's own filter. */
const readOn = (store: EventStore, { position, streamPrefixes }: LagRequest, signal: AbortSignal) =>
  store.subscribe({
    ...(position !== undefined && { after: position }),
    filter: { streamPrefixes },
    dedicated: true,
    signal,
  });

const unread = () => new Error(`the log was not read to its end within ${deadlineMs} ms`);

/**
 * How far a read model is behind. Reads the log from the checkpoint with the read model's filter,
 * to its end or until enough events are counted. Costs one short read if nothing is behind.
 * @throws when the store can't be read in time
 */
export async function measureLag(
  store: EventStore,
  request: LagRequest,
  now: () => number = Date.now,
): Promise<ProjectionLag> {
  const ended = AbortSignal.timeout(deadlineMs);
  let first: StoredEvent | undefined;
  let counted = 0;
  let last: bigint | undefined;
  let caughtUp = false;
  for await (const batch of readOn(store, request, ended)) {
    for (const item of batch) {
      if (item.kind === 'caught_up') caughtUp = true;
      if (item.kind !== 'event') continue;
      first ??= item.event;
      last = item.event.position;
      counted += 1;
    }
    if (caughtUp || counted >= countAtMost) break;
  }
  if (ended.aborted && !caughtUp && counted < countAtMost) {
    throw unread();
  }
  const lag_ms = first ? Math.max(0, now() - first.created.getTime()) : 0;
  if (caughtUp || last === undefined) return { lag_events: counted, lag_ms };
  const start = request.position ?? 0n;
  const head = await store.head();
  const estimate = head > last ? (BigInt(counted) * (head - start)) / (last - start) : 0n;
  return { lag_events: Math.max(counted, Number(estimate)), lag_ms };
}
