import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalJson } from '#shared/platform/ids.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { RowDifference } from '../rows/row-index.ts';
import { messageColumns, messageRow, ofEvents, type MessageRow } from './live-rows.ts';

type JudgeMessagesOptions<DB> = {
  db: Kysely<DB>;
  store: Pick<EventStore, 'read'>;
  report: Report;
  /** Events up to here were checked. */
  position: number;
  /** How long to wait for a message in flight; undefined if there is no message table. */
  waitMs: number | undefined;
};

type Message = {
  id: string;
  type: string;
  sequence: number;
  /** `operation`: not of one about an endpoint. */
  data: { shop_id: string; operation?: { operation_id: string } };
};

/** A row as `messageRow` makes it. */
type Row = {
  endpoint_id: string;
  message?: Message;
  columns?: Omit<Message, 'data'> & { operation_id: string | null; shop_id: string };
};
type Due = Row & { message: Message };

const pauseMs = 250;
const keyOf = (id: string, endpointId: string) => `${id} ${endpointId}`;

/**
 * Drops differences that are fine: messages that arrive a moment later, and those of events after
 * the reading.
 */
export async function judgeMessages<DB>(
  differences: readonly RowDifference[],
  options: JudgeMessagesOptions<DB>,
): Promise<void> {
  const missing = differences.filter(({ kind }) => kind === 'missing');
  const arrived = await waitFor(missing, options);
  for (const difference of differences) {
    const { kind, expected, live } = difference;
    if (kind === 'surplus') {
      await judgeSurplus(live, options, (event) => Number(event.position) > options.position);
      continue;
    }
    if (expected === undefined)
      throw new Error(
        `a message that the event at ${difference.position} requires was not recomputed`,
      );
    const { endpoint_id: endpointId, message: due } = JSON.parse(expected) as Due;
    const actual = kind === 'missing' ? arrived.get(keyOf(due.id, endpointId)) : live;
    const { position } = difference;
    if (actual === undefined)
      reportMessage(options.report, 'webhook.missing', {
        message: due,
        position,
        text: `no message ${due.id} for endpoint ${endpointId}`,
      });
    else if (actual !== expected && actual !== asRecordedBefore(due, endpointId)) {
      const text = `message ${due.id} has ${firstDifference(actual, expected)}`;
      reportMessage(options.report, 'webhook.content', { message: due, position, text });
    }
  }
}

const mostAhead = 50;

/**
 * Reports messages newer than the log's newest event: the log was lost or restored. The clocks of a
 * cluster may differ a little, so an event may seem newer too.
 */
export async function judgeMessagesAhead<DB>(
  tx: Kysely<DB>,
  { newestMs, shopId, ...options }: AheadOptions,
): Promise<void> {
  const ofShop = shopId === undefined ? sql`` : sql`and shop_id = ${shopId}`;
  const { rows } = await sql<MessageRow & { occurred_at: Date }>`
    select ${sql.raw(messageColumns)}, occurred_at from webhooks.message
    where ${sql.raw(ofEvents)} and occurred_at > to_timestamp(${newestMs}::float8 / 1000.0) ${ofShop}
    order by occurred_at limit ${mostAhead}`.execute(tx);
  for (const row of rows)
    await judgeSurplus(
      messageRow(row),
      options,
      ({ created }) => created.getTime() === row.occurred_at.getTime(),
    );
}

type AheadOptions = Pick<JudgeMessagesOptions<unknown>, 'store' | 'report'> & {
  /** The time of the log's newest event now. */
  newestMs: number;
  shopId: string | undefined;
};

/**
 * `live`: the message as `messageRow` shows it. `isDue`: whether the event with its id may cause it
 * after all.
 */
async function judgeSurplus(
  live: string | undefined,
  { store, report }: Pick<JudgeMessagesOptions<unknown>, 'store' | 'report'>,
  isDue: (event: StoredEvent) => boolean,
): Promise<void> {
  const { columns, message: liveMessage } = JSON.parse(live ?? '{}') as Row;
  const message = columns ? { ...columns, data: dataOf(columns) } : liveMessage;
  if (!message) throw new Error('a message without content');
  const events = await store.read(streamOf(message));
  const event = events.find(({ id }) => id === message.id);
  if (event && isDue(event)) return;
  const text = `message ${message.id} (${message.type}) is required by no event`;
  reportMessage(report, 'webhook.surplus', { message, position: 0, text });
}

const dataOf = ({ shop_id, operation_id }: NonNullable<Row['columns']>): Message['data'] => ({
  shop_id,
  ...(operation_id !== null && { operation: { operation_id } }),
});

/** The stream of the event that requires it. */
function streamOf({ type, data }: Pick<Message, 'type' | 'data'>): string {
  const { shop_id: shopId, operation } = data;
  if (!operation) return `shop-${shopId}`;
  const isOfReturn = type.endsWith('.charged_back') || type.endsWith('.returned');
  return `${isOfReturn ? 'late' : 'operation'}-${operation.operation_id}`;
}

function reportMessage(
  report: Report,
  rule: 'webhook.missing' | 'webhook.content' | 'webhook.surplus',
  input: { message: Message; position: number; text: string },
): void {
  const { message, position, text } = input;
  report({
    rule,
    stream: streamOf(message),
    ...(position > 0 && { position }),
    shopId: message.data.shop_id,
    message: `${text}: ${message.type}, sequence ${message.sequence}`,
  });
}

/**
 * Polls for missing messages until they exist or the time is up.
 * @returns their content by id and endpoint
 */
async function waitFor<DB>(
  missing: readonly RowDifference[],
  { db, waitMs }: JudgeMessagesOptions<DB>,
): Promise<Map<string, string>> {
  const due = missing.flatMap(({ expected }) =>
    expected === undefined ? [] : [JSON.parse(expected) as Due],
  );
  const left = new Map(
    due.map(({ endpoint_id: endpoint, message: { id } }) => [keyOf(id, endpoint), id]),
  );
  const arrived = new Map<string, string>();
  if (waitMs === undefined) return arrived;
  const deadline = performance.now() + waitMs;
  while (left.size > 0) {
    const { rows } = await sql<MessageRow>`
      select ${sql.raw(messageColumns)} from webhooks.message
      where message_id = any(${[...left.values()]}::text[])
        or event_id = any(${[...left.values()]}::text[])`.execute(db);
    for (const row of rows) {
      const key = keyOf(row.event_id, row.endpoint_id);
      if (left.delete(key)) arrived.set(key, messageRow(row));
    }
    if (left.size === 0 || performance.now() >= deadline) break;
    await delay(pauseMs);
  }
  return arrived;
}

/** An operation's webhook as it was recorded before webhooks had these fields. */
function asRecordedBefore(due: Message, endpointId: string): string | undefined {
  if (!due.data.operation) return undefined;
  const {
    decline_reason: _reason,
    client_id: _client,
    created_at: _created,
    ...operation
  } = due.data.operation as Record<string, unknown>;
  const message = { ...due, data: { ...due.data, operation } };
  return canonicalJson({ endpoint_id: endpointId, message });
}

/** The first place where two canonical texts differ, with the text there. */
function firstDifference(actual: string, expected: string): string {
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 30);
  return `…${actual.slice(from, at + 60)}…, the log gives …${expected.slice(from, at + 60)}…`;
}
