import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { createAttemptWriter } from './attempt-writer.ts';
import type { ClaimedMessage } from '../../claim.ts';
import { claimMessages } from './claims.ts';

const database = databaseForFile();

const shopId = 'shop';
let db: Kysely<WebhooksDatabase>;
beforeEach(async () => {
  db = connectDatabase<WebhooksDatabase>(database.url, { applicationName: 'test' });
  await migrateWebhooks(db);
});
afterEach(() => db.destroy());

/** A writer, and messages that are claimed by it. */
async function claimedMessages(count: number) {
  for (let made = 0; made < count; made += 1) await ping(db, { shopId });
  const claimed = await claimMessages(db, [{ endpointId: shopId, limit: count }], randomUUID());
  const signal = new AbortController().signal;
  const retry = { scheduleMs: [0], random: () => 0 };
  const writer = createAttemptWriter({ db, retry, logger, signal });
  return { claimed, writer };
}

const delivery = (claimed: ClaimedMessage, answer = 'ab') => ({
  claim: { claimed },
  messageId: claimed.messageId,
  operationId: null,
  outcome: { kind: 'delivered' } as const,
  facts: {
    startedAt: new Date(),
    durationMs: 1,
    url: 'https://merchant.example/',
    statusCode: 200,
    answer,
    error: null,
  },
});

it('an attempt that PostgreSQL refuses does not block the others', async () => {
  const { claimed, writer } = await claimedMessages(3);
  const written = await Promise.all(
    claimed.map((each, at) => writer.write(delivery(each, at === 1 ? 'a\0b' : 'ab'))),
  );
  expect(written.map((each) => each?.next.status)).toEqual(['delivered', undefined, 'delivered']);
});

it('a single attempt is written immediately, and those that end soon after it in one batch', async () => {
  const { claimed, writer } = await claimedMessages(4);
  const [first, ...others] = claimed.map((each) => delivery(each));
  if (!first) throw new Error('nothing was claimed');
  await writer.write(first);
  await Promise.all(others.map((each) => writer.write(each)));
  const ids = claimed.map(({ messageId }) => messageId);
  const { rows } = await sql<{ transactions: number }>`
    select count(distinct xmin::text)::int as transactions from webhooks.attempt where message_id = any(${ids})`.execute(
    db,
  );
  expect(rows).toEqual([{ transactions: 2 }]);
});
