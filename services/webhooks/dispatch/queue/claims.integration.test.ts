import { sql, type Kysely } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { newId } from '#shared/platform/ids.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { listMessages } from '#shared/application/webhooks/messages/list.ts';
import { ping } from '#shared/application/webhooks/messages/ping.ts';
import { createAttemptWriter } from './attempt-writer.ts';
import type { ClaimedMessage } from '../../claim.ts';
import { recordMessages } from '../../ingest/record.ts';
import { allDue, claimMessages, nextDue, releaseStranded, renew } from './claims.ts';

const database = databaseForFile();
let db: Kysely<WebhooksDatabase>;
let shopId = '';
beforeAll(async () => {
  db = connectDatabase<WebhooksDatabase>(database.url, { applicationName: 'test' });
  await migrateWebhooks(db);
});
afterAll(() => db.destroy());
beforeEach(() => {
  shopId = newId();
});

const claimUpTo = (limit: number) => claimMessages(db, [{ endpointId: shopId, limit }], newId());
const leasesEnd = () =>
  sql`update webhooks.message set lease_until = now() where shop_id = ${shopId}`.execute(db);
/** Extends the leases, however long the test takes from here on. */
const leasesLast = () =>
  sql`update webhooks.message set lease_until = now() + interval '1 hour'
    where shop_id = ${shopId} and lease_until is not null`.execute(db);
const leases = async () => {
  const { rows } = await sql<{ message_id: string; until: string }>`
    select message_id, lease_until::text as until from webhooks.message
    where shop_id = ${shopId}`.execute(db);
  return new Map(rows.map(({ message_id: id, until }) => [id, until]));
};
const writer = (on = db) =>
  createAttemptWriter({
    db: on,
    retry: { scheduleMs: [0, 60_000], random: () => 0.5 },
    logger,
    signal: new AbortController().signal,
  });
const facts = {
  startedAt: new Date('2026-01-31T12:00:00.123Z'),
  durationMs: 5,
  url: 'https://merchant.example/',
  statusCode: 200,
  answer: 'ok',
  error: null,
};
const delivered = (claimed: ClaimedMessage) => ({
  claim: { claimed },
  messageId: claimed.messageId,
  operationId: claimed.operationId,
  outcome: { kind: 'delivered' } as const,
  facts,
});
const messages = async () => {
  const page = await listMessages(db, { shopId });
  return 'messages' in page ? page.messages : [];
};

it('messages are claimed by one process at a time, the longest due first, and again after the lease', async () => {
  const ids = [await ping(db, { shopId }), await ping(db, { shopId }), await ping(db, { shopId })];
  const idsOf = (claimed: readonly ClaimedMessage[]) => claimed.map(({ messageId }) => messageId);
  const first = await claimUpTo(2);
  await leasesLast();
  expect(new Set(idsOf(first))).toEqual(new Set(ids.slice(0, 2)));
  expect((await nextDue(db, [shopId])).get(shopId)?.inMs).toBeLessThanOrEqual(0);
  expect(idsOf(await claimUpTo(2))).toEqual(ids.slice(2));
  await leasesLast();
  expect(await claimUpTo(2)).toEqual([]);
  expect([await nextDue(db, [shopId]), (await allDue(db)).has(shopId)]).toEqual([new Map(), false]);

  await leasesEnd();
  expect(await renew(db, first)).toEqual(new Set(ids.slice(0, 2)));
  await sql`update webhooks.message set lease_until = now() + interval '1 hour'
    where message_id = any(${ids.slice(0, 2)})`.execute(db);
  expect((await allDue(db)).get(shopId)?.inMs).toBeLessThanOrEqual(0);
  expect(idsOf(await claimUpTo(3))).toEqual(ids.slice(2));
});

it('renewing leases does not wait for a locked message', async () => {
  for (let count = 0; count < 2; count += 1) await ping(db, { shopId });
  const claimed = await claimUpTo(2);
  const first = claimed[0]?.messageId;
  await leasesEnd();
  const ended = await leases();
  await db.transaction().execute(async (tx) => {
    await sql`select 1 from webhooks.message where message_id = ${first} for update`.execute(tx);
    await db.connection().execute(async (other) => {
      await sql`set lock_timeout = '1s'`.execute(other);
      await renew(other, claimed);
      await sql`reset lock_timeout`.execute(other);
    });
  });
  // The other claim keeps its lease.
  const now = await leases();
  expect([...now].flatMap(([id, until]) => (until === ended.get(id) ? [id] : []))).toEqual([first]);
});

it('the later claim decides the outcome; the attempt under the earlier one is stored too', async () => {
  await ping(db, { shopId });
  const [before] = await claimUpTo(1);
  await leasesEnd();
  const [after] = await claimUpTo(1);
  if (!before || !after) throw new Error('nothing was claimed');
  expect(await renew(db, [before])).toEqual(new Set());
  expect(await renew(db, [before, after])).toEqual(new Set([after.messageId]));
  await leasesLast();
  expect(await writer().write(delivered(before))).toMatchObject({ next: { status: 'unchanged' } });
  expect(await messages()).toMatchObject([{ status: 'pending', attempts: [{ status: 200 }] }]);
  expect(await claimUpTo(1)).toEqual([]);

  const late = { ...facts, startedAt: new Date('2026-01-31T12:00:01.000Z') };
  const written = await writer().write({ ...delivered(after), facts: late });
  expect(written).toEqual({ next: { status: 'delivered' }, dueInMs: undefined });
  const [message] = await messages();
  expect(message).toMatchObject({ status: 'delivered', next_attempt_at: null });
  expect(message?.attempts).toHaveLength(2);
});

const attemptCount = async () => {
  const { rows } = await sql<{ attempt_count: number }>`
    select attempt_count from webhooks.message where shop_id = ${shopId}`.execute(db);
  return rows[0]?.attempt_count;
};

it('a failure whose commit was not acknowledged takes one attempt of the schedule', async () => {
  await ping(db, { shopId });
  const [claimed] = await claimUpTo(1);
  if (!claimed) throw new Error('nothing was claimed');
  const failed = { ...delivered(claimed), outcome: { kind: 'failed', retryAfterMs: 0 } as const };
  await writer().write(failed);
  expect(await writer().write(failed)).toMatchObject({ next: { status: 'unchanged' } });
  expect(await attemptCount()).toBe(1);
});

it('an attempt whose commit was not acknowledged is stored and counted once', async () => {
  await ping(db, { shopId });
  const [claimed] = await claimUpTo(1);
  if (!claimed) throw new Error('nothing was claimed');
  await writer().write(delivered(claimed));
  await writer().write(delivered(claimed));
  expect(await attemptCount()).toBe(1);
  expect(await messages()).toMatchObject([
    { status: 'delivered', attempts: [{ status: 200, answer: 'ok' }] },
  ]);
  expect((await messages())[0]?.attempts).toEqual([
    { time: '2026-01-31T12:00:00.123Z', status: 200, duration_ms: 5, answer: 'ok', error: null },
  ]);
});

it('a claim updates the row within its page, so that no index changes', async () => {
  for (let count = 0; count < 50; count += 1) await ping(db, { shopId });
  const pages = async () => {
    const { rows } = await sql<{ message_id: string; page: number }>`
      select message_id, (ctid::text::point)[0]::integer as page from webhooks.message
      where shop_id = ${shopId} order by message_id`.execute(db);
    return rows.map(({ message_id: id, page }) => `${id} ${page}`);
  };
  const before = new Set(await pages());
  expect(await claimUpTo(50)).toHaveLength(50);
  const stayed = (await pages()).filter((place) => before.has(place));
  expect(stayed.length).toBeGreaterThanOrEqual(45);
});

it('statements are planned for the current size of the table, not for an empty one', async () => {
  const options = { applicationName: 'test', maxConnections: 1 };
  const one = connectDatabase<WebhooksDatabase>(database.url, options);
  onTestFinished(() => one.destroy());
  const send = async (limit: number) => {
    const claimed = await claimMessages(one, [{ endpointId: shopId, limit }], newId());
    await renew(one, claimed);
    await Promise.all(claimed.map((each) => writer(one).write(delivered(each))));
    return claimed.length;
  };
  const rowsRead = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(one);
    const { rows } = await sql<{ read: number }>`
      select (seq_tup_read + idx_tup_fetch)::float8 as read
      from pg_stat_user_tables where relid = 'webhooks.message'::regclass`.execute(one);
    return rows[0]?.read ?? Number.NaN;
  };
  for (let times = 0; times < 10; times += 1) {
    await ping(one, { shopId });
    await send(1);
  }
  await sql`
    insert into webhooks.message
      (message_id, shop_id, operation_id, sequence, type, body, occurred_at, due_at)
    select 'm' || n, ${shopId}, 'o' || n, 1, 'payment.completed', '{}', now(), now()
    from generate_series(1, 2000) n`.execute(one);
  const before = await rowsRead();
  expect(await send(10)).toBe(10);
  expect((await rowsRead()) - before).toBeLessThan(6_000);
});

it('the next message of an operation is sent if the process died before it was due (R14.9)', async () => {
  const operationId = newId();
  const ofOperation = { shopId, operationId, body: '{}', occurredAt: new Date() };
  const [first, second] = [newId(), newId()];
  await recordMessages(db, [
    { ...ofOperation, messageId: first, sequence: 1, type: 'payment.awaiting_confirmation' },
    { ...ofOperation, messageId: second, sequence: 2, type: 'payment.completed' },
  ]);
  expect((await claimUpTo(2)).map(({ messageId }) => messageId)).toEqual([first]);
  await sql`update webhooks.message 
    set status = 'delivered', finished_at = now(), due_at = null, claim_token = null, lease_until = null
    where message_id = ${first}`.execute(db);
  expect(await claimUpTo(2)).toEqual([]);
  expect(await releaseStranded(db)).toBe(1);
  expect((await claimUpTo(2)).map(({ messageId }) => messageId)).toEqual([second]);
});
