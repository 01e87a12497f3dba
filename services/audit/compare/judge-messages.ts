import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#shared/event-store/index.ts';
import type { Report } from '../findings/findings.ts';
import type { MessageDifference } from './compare-read-models.ts';
import { messageRow } from './live-rows.ts';

export type JudgeMessagesOptions<DB> = {
  db: Kysely<DB>;
  store: Pick<EventStore, 'read'>;
  report: Report;
  /** Events up to there were judged. */
  position: number;
  /** How long a message that is on its way is waited for. */
  waitMs: number;
};

type Message = {
  id: string;
  type: string;
  sequence: number;
  data: { shop_id: string; operation: { operation_id: string } };
};

const pauseMs = 250;

/** Says which differences are none: messages that come a moment later, and those of events that came after the reading. */
export async function judgeMessages<DB>(
  differences: readonly MessageDifference[],
  options: JudgeMessagesOptions<DB>,
): Promise<void> {
  const missing = differences.filter(({ kind }) => kind === 'missing');
  const arrived = await waitFor(missing, options);
  for (const difference of differences) {
    const { kind, expected, live } = difference;
    if (kind === 'surplus') await judgeSurplus(difference, options);
    else if (expected !== undefined) {
      const due = JSON.parse(expected) as Message;
      const found = kind === 'missing' ? arrived.get(due.id) : live;
      if (found === undefined)
        blame(options.report, 'webhook.missing', { message: due, difference, text: `no message ${due.id}` });
      else if (found !== expected) {
        const text = `message ${due.id} says ${whereTheyPart(found, expected)}`;
        blame(options.report, 'webhook.content', { message: due, difference, text });
      }
    }
  }
}

async function judgeSurplus<DB>(
  difference: MessageDifference,
  { store, report, position }: JudgeMessagesOptions<DB>,
): Promise<void> {
  const parsed = JSON.parse(difference.live ?? '{}') as Partial<Message> & {
    columns?: { id: string; operation_id: string; shop_id: string; type: string; sequence: number };
  };
  const { columns } = parsed;
  const message: Message = columns
    ? { ...columns, data: { shop_id: columns.shop_id, operation: { operation_id: columns.operation_id } } }
    : (parsed as Message);
  const events = await store.read(`operation-${message.data?.operation?.operation_id}`);
  const event = events.find(({ id }) => id === message.id);
  if (event && Number(event.position) > position) return;
  const text = `message ${message.id} (${message.type}) is owed by no event`;
  blame(report, 'webhook.surplus', { message, difference, text });
}

function blame(
  report: Report,
  rule: 'webhook.missing' | 'webhook.content' | 'webhook.surplus',
  given: { message: Message; difference: MessageDifference; text: string },
): void {
  const { message, difference, text } = given;
  report({
    rule,
    stream: `operation-${message.data.operation.operation_id}`,
    ...(difference.position > 0 && { position: difference.position }),
    shopId: message.data.shop_id,
    message: `${text}: ${message.type}, sequence ${message.sequence}`,
  });
}

/** Looks for messages that were not there until they are or the time is up. @returns their content by id */
async function waitFor<DB>(
  missing: readonly MessageDifference[],
  { db, waitMs }: JudgeMessagesOptions<DB>,
): Promise<Map<string, string>> {
  const ids = new Set(
    missing.flatMap(({ expected }) => (expected === undefined ? [] : [(JSON.parse(expected) as Message).id])),
  );
  const arrived = new Map<string, string>();
  const deadline = performance.now() + waitMs;
  while (ids.size > 0) {
    const { rows } = await sql<Parameters<typeof messageRow>[0]>`
      select message_id, shop_id, operation_id, sequence, type, body from webhooks.message
      where message_id = any(${[...ids]}::text[])`.execute(db);
    for (const row of rows) {
      arrived.set(row.message_id, messageRow(row));
      ids.delete(row.message_id);
    }
    if (ids.size === 0 || performance.now() >= deadline) break;
    await delay(pauseMs);
  }
  return arrived;
}

/** The first place at which two canonical texts part, with what stands there. */
function whereTheyPart(found: string, expected: string): string {
  let at = 0;
  while (at < found.length && found[at] === expected[at]) at += 1;
  const from = Math.max(0, at - 30);
  return `…${found.slice(from, at + 60)}…, the log gives …${expected.slice(from, at + 60)}…`;
}
