import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { RowDifference } from '../rows/row-index.ts';
import { messageColumns, messageRow, ofEvents, type MessageRow } from './live-rows.ts';
import { olderForm, readFormTimes, type FormTimes } from './webhook-forms.ts';

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
  timestamp: string;
  sequence: number;
  /** `operation`: not of one about an endpoint. */
  data: { shop_id: string; operation?: { operation_id: string } };
};

/** A row as `messageRow` makes it. */
type Row = {
  endpoint_id: string;
  message?: Message;
  columns?: Omit<Message, 'data' | 'timestamp'> & { operation_id: string | null; shop_id: string };
};
type Due = Row & { message: Message };

const pauseMs = 250;
const messageKey = (id: string, endpointId: string) => `${id} ${endpointId}`;

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
  const isOlder = createIsOlder(options.db);
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
    const actual = kind === 'missing' ? arrived.get(messageKey(due.id, endpointId)) : live;
    const { position } = difference;
    if (actual === undefined)
      reportMessage(options.report, 'webhook.missing', {
        message: due,
        position,
        text: `no message ${due.id} for endpoint ${endpointId}`,
      });
    else if (actual !== expected && !(await isOlder(actual, { endpointId, expected: due }))) {
      const text = `message ${due.id} has ${firstDifference(actual, expected)}`;
      reportMessage(options.report, 'webhook.content', { message: due, position, text });
    }
  }
}

/** Whether the stored text of a message is in a form that webhooks had when it was recorded. */
function createIsOlder<DB>(db: Kysely<DB>) {
  let times: Promise<FormTimes> | undefined;
  return async (stored: string, message: { endpointId: string; expected: Message }) => {
    const form = olderForm(stored, message);
    if (form === undefined) return false;
    const { mayBe } = await (times ??= readFormTimes(db));
    return mayBe(form, Date.parse(message.expected.timestamp));
  };
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
  const message = columns ? { ...columns, data: toMessageData(columns) } : liveMessage;
  if (!message) throw new Error('a message without content');
  const events = await store.read(findEventStream(message));
  const event = events.find(({ id }) => id === message.id);
  if (event && isDue(event)) return;
  const text = `message ${message.id} (${message.type}) is required by no event`;
  reportMessage(report, 'webhook.surplus', { message, position: 0, text });
}

const toMessageData = ({
  shop_id,
  operation_id,
}: NonNullable<Row['columns']>): Message['data'] => ({
  shop_id,
  ...(operation_id !== null && { operation: { operation_id } }),
});

/** The stream of the event that requires it. */
function findEventStream({ type, data }: Pick<Message, 'type' | 'data'>): string {
  const { shop_id: shopId, operation } = data;
  if (!operation) return `shop-${shopId}`;
  const isOfReturn = type.endsWith('.charged_back') || type.endsWith('.returned');
  return `${isOfReturn ? 'late' : 'operation'}-${operation.operation_id}`;
}

function reportMessage(
  report: Report,
  rule: 'webhook.missing' | 'webhook.content' | 'webhook.surplus',
  input: { message: Omit<Message, 'timestamp'>; position: number; text: string },
): void {
  const { message, position, text } = input;
  report({
    rule,
    stream: findEventStream(message),
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
    due.map(({ endpoint_id: endpoint, message: { id } }) => [messageKey(id, endpoint), id]),
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
      const key = messageKey(row.event_id, row.endpoint_id);
      if (left.delete(key)) arrived.set(key, messageRow(row));
    }
    if (left.size === 0 || performance.now() >= deadline) break;
    await delay(pauseMs);
  }
  return arrived;
}

/** The first place where two canonical texts differ, with the text there. */
function firstDifference(actual: string, expected: string): string {
  let at = 0;
  while (at < actual.length && actual[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 30);
  return `…${actual.slice(from, at + 60)}…, the log gives …${expected.slice(from, at + 60)}…`;
}
