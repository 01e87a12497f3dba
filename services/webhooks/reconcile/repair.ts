import { sql, type Kysely } from 'kysely';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { createPostedInTime } from '../ingest/build-messages.ts';
import { recordMessages } from '../ingest/record.ts';
import {
  forEndpoints,
  type ReadSubscriptions,
  type Subscriptions,
} from '../ingest/subscriptions.ts';
import type { NewMessage } from '../message.ts';
import { buildExpectedMessages, readMessageSource } from '../message-source.ts';
import { createMayArrive, type FirstUndelivered } from './may-arrive.ts';

const readsAtOnce = 8;

export type RepairOptions = {
  store: EventStore;
  db: Kysely<WebhooksDatabase>;
  logger: Logger;
  macKey?: LogKey | undefined;
  undelivered: FirstUndelivered;
  readSubscriptions: ReadSubscriptions;
  postedInTime: ReturnType<typeof createPostedInTime>;
  /** How long the ingest may take once nothing hinders it. */
  patienceMs: number;
};

/** An event without all its webhooks, and since when nothing hinders the ingest to record them. */
export type MissingEvent = { event: StoredEvent; freeSince?: number };

type RecordedMessage = { event_id: string; shop_id: string; endpoint_id: string; type: string };

/** Those of the events that lack a webhook. */
export async function findMissing(
  { db, readSubscriptions }: Pick<RepairOptions, 'db' | 'readSubscriptions'>,
  candidates: readonly MissingEvent[],
): Promise<MissingEvent[]> {
  if (candidates.length === 0) return [];
  const ids = candidates.map(({ event }) => event.id);
  const { rows } = await sql<RecordedMessage>`
    select message_id as event_id, shop_id, endpoint_id, type from webhooks.message
    where message_id = any(${ids}::text[])
    union all
    select event_id, shop_id, endpoint_id, type from webhooks.message
    where event_id = any(${ids}::text[])`.execute(db);
  const byEvent = Map.groupBy(rows, (row) => row.event_id);
  const byShop = new Map<string, Subscriptions>();
  // Where a shop can't be read, its events count as missing, so that they wait and are read again.
  for (const shopId of new Set(rows.map((row) => row.shop_id))) {
    const subscriptions = await readSubscriptions(shopId).catch(() => undefined);
    if (subscriptions) byShop.set(shopId, subscriptions);
  }
  return candidates.filter(({ event: { id, position } }) => {
    const recorded = byEvent.get(id) ?? [];
    const [first] = recorded;
    if (!first) return true;
    const reached = new Set(recorded.map((row) => row.endpoint_id));
    const endpoints = byShop.get(first.shop_id)?.endpointsOf({ position, type: first.type });
    return !endpoints || endpoints.some((endpointId) => !reached.has(endpointId));
  });
}

type ExpectedMessages = { missing: MissingEvent; messages: NewMessage[] } & Pick<
  ReturnType<typeof buildExpectedMessages>,
  'operation'
> & { events: readonly StoredEvent[] };

/**
 * Records missing webhooks. Those that relay, stream or ingest still have are recorded early;
 * `repaired` counts the lost ones. `waiting`: events whose entries are not posted, that can't be
 * read, which must not stop other shops, and those that the ingest may be about to record.
 */
export async function repair(
  options: RepairOptions,
  missing: readonly MissingEvent[],
): Promise<{ repaired: number; waiting: MissingEvent[] }> {
  const mayArrive = createMayArrive(options.undelivered);
  let repaired = 0;
  const waiting: MissingEvent[] = [];
  for (let from = 0; from < missing.length; from += readsAtOnce) {
    const some = missing.slice(from, from + readsAtOnce);
    const expecting = some.map((each) =>
      expectedAt(options, each).catch((error: unknown) => {
        const { event } = each;
        const { stream, revision } = event;
        options.logger.warn({ err: error, stream, revision }, 'a webhook could not be reconciled');
        waiting.push({ event });
        return [];
      }),
    );
    const built = (await Promise.all(expecting)).flat();
    const posted = await options.postedInTime(built);
    await Promise.all(
      built.map(async ({ missing: { event, freeSince = performance.now() }, messages }, at) => {
        if (!posted[at]) {
          waiting.push({ event });
          return;
        }
        const isEarly = await mayArrive(event);
        if (!isEarly && performance.now() - freeSince < options.patienceMs) {
          waiting.push({ event, freeSince });
          return;
        }
        const { size: recorded } = await recordMessages(options.db, messages, {
          macKey: options.macKey,
        });
        if (isEarly || recorded === 0) return;
        const { stream, revision } = event;
        options.logger.error({ stream, revision }, 'a webhook was missing, and is recorded now');
        repaired += recorded;
      }),
    );
  }
  return { repaired, waiting };
}

/** The operation at an event, and all messages up to it; none if the event has none. */
async function expectedAt(
  { store, readSubscriptions }: RepairOptions,
  missing: MissingEvent,
): Promise<ExpectedMessages[]> {
  const { stream, revision, id } = missing.event;
  const read = await readMessageSource(store, { stream, revision });
  if (!read) throw new Error(`${stream} can't be read up to ${revision}`);
  const { events } = read;
  const { operation, messages: all } = buildExpectedMessages(read);
  const shopId = all[0]?.message.shopId;
  if (shopId === undefined) return [];
  const subscriptions = await readSubscriptions(shopId);
  const messages: NewMessage[] = all.flatMap((each) => forEndpoints(each, subscriptions));
  const has = messages.some(({ messageId, eventId = messageId }) => eventId === id);
  return has ? [{ missing, operation, events, messages }] : [];
}
