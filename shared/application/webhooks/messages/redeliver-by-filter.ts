import type { Kysely } from 'kysely';
import type { WebhooksDatabase } from '../database/tables.ts';
import { decodeMessageCursor, encodeMessageCursor } from './cursor.ts';
import { countMatching, type MessageFilter } from './filter.ts';
import { maxRedelivered, redeliverMessages, type RedeliverQuery } from './redeliver.ts';

/**
 * Sends the messages that match a filter again (R14.8, for many at once): the oldest first, at most
 * 2,000, with a cursor if there may be more. @throws for an invalid cursor (`isCursor`)
 */
export async function redeliverByFilter(
  db: Kysely<WebhooksDatabase>,
  { cursor, ...query }: Omit<RedeliverQuery, 'after'> & { cursor?: string | undefined },
): Promise<{ count: number; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : decodeMessageCursor(cursor);
  if (cursor !== undefined && after === undefined) throw new Error(`no cursor: ${cursor}`);
  const { count, next } = await redeliverMessages(db, { ...query, after });
  return { count, next_cursor: next === undefined ? null : encodeMessageCursor(next) };
}

/**
 * How many messages `redeliverByFilter` would send again from the same cursor on. `more`: it would
 * not send all of them at once.
 */
export async function countRedeliverable(
  db: Kysely<WebhooksDatabase>,
  { cursor, ...query }: Omit<RedeliverQuery, 'after'> & { cursor?: string | undefined },
): Promise<{ count: number; more: boolean }> {
  const after = cursor === undefined ? undefined : decodeMessageCursor(cursor);
  const count = await countMatching(db, { ...query, after, atMost: maxRedelivered + 1 });
  return { count: Math.min(count, maxRedelivered), more: count > maxRedelivered };
}

/** Whether any message matches: then `redeliverByFilter` sends at least one again. */
export const hasMatching = async (
  db: Kysely<WebhooksDatabase>,
  filter: MessageFilter,
): Promise<boolean> => (await countMatching(db, { ...filter, atMost: 1 })) > 0;
