import { ledgerStream } from '#shared/domain/ledger/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { History } from '#shared/domain/operation/testing/histories.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { NO_STREAM, type EventStore, type NewEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Books } from './ledger-histories.ts';

const metadata = { correlation_id: 'test', actor: 'service:test' };

type EventInput = { type: string; data: object };

const newEvent = ({ type, data }: EventInput, actor = metadata.actor): NewEvent => ({
  id: newId(),
  type,
  data,
  metadata: { ...metadata, actor, schema_version: newestVersion(type) },
});

/** Appends to the end of a stream. @throws if its revision is not `after` */
export async function append(
  store: EventStore,
  stream: string,
  {
    events,
    after = NO_STREAM,
    actor,
  }: { events: readonly EventInput[]; after?: number; actor?: string },
): Promise<bigint> {
  const appended = await store.append({
    stream,
    expectedRevision: after,
    events: events.map((event) => newEvent(event, actor)),
  });
  if (appended.outcome !== 'appended') throw new Error(`${stream}: ${appended.outcome}`);
  return appended.position;
}

/**
 * Appends many histories as in production: each in two appends, a few dozen concurrently, so that
 * the streams interleave.
 * @returns the position of the last event
 */
export async function appendHistories(
  store: EventStore,
  histories: readonly History[],
): Promise<bigint> {
  let last = 0n;
  const queue = [...histories];
  const lane = async () => {
    for (let history = queue.shift(); history; history = queue.shift()) {
      const stream = operationStream(history.create.operationId);
      const first: OperationEvent[] = history.events.slice(0, 2);
      const rest = history.events.slice(2);
      let position = await append(store, stream, { events: first });
      if (rest.length > 0)
        position = await append(store, stream, { events: rest, after: first.length - 1 });
      if (position > last) last = position;
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  return last;
}

/**
 * Appends ledgers as in production: up to `perWrite` entries in one write, several ledgers
 * interleaved.
 * @returns the position of the last event
 */
export async function appendLedgers(
  store: EventStore,
  ledgers: readonly Books[],
  { perWrite = 5 }: { perWrite?: number } = {},
): Promise<bigint> {
  let last = 0n;
  const longest = Math.max(0, ...ledgers.map(({ entries }) => entries.length));
  for (let from = 0; from < longest; from += perWrite) {
    for (const { shopId, currency, entries } of ledgers) {
      const events = entries
        .slice(from, from + perWrite)
        .map((data) => ({ type: 'EntryPosted', data }));
      if (events.length === 0) continue;
      const position = await append(store, ledgerStream(shopId, currency), {
        events,
        after: from - 1,
      });
      if (position > last) last = position;
    }
  }
  return last;
}
