import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { rebuild } from '#projections/rebuild/rebuild.ts';
import { suspenseReadModel } from '#projections/suspense/read-model.ts';
import {
  acceptance,
  cancelled,
  givenPayment,
  givenPayout,
} from '#services/processor/testing/operations.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { toNewEvent } from '#shared/application/commands/new-events.ts';
import { tokens, problem } from '../../testing/admin.ts';
import { useConsole } from '../../console/testing/console.ts';

const admin = useConsole();

type Entry = Record<string, unknown> & { entry_id: string; kind: string; status: string };
const list = async (query: string) =>
  (await admin.call<{ entries: Entry[] }>(`GET /admin/v1/suspense?${query}`)).body.entries ?? [];
const resolve = (entryId: string, body: object, token: string = tokens.operator) =>
  admin.call<Entry & { code?: string; errors?: { pointer: string; code: string }[] }>(
    `POST /admin/v1/suspense/${entryId}/resolve`,
    { body, token },
  );
const ledgerOf = async (shopId: string) =>
  (await admin.store.read(ledgerStream(shopId, 'RUB'))).map((event) => {
    const entry = decodeLedgerEvent(event).data;
    const legs = entry.legs.map(({ account, amount }) => `${account} ${amount}`);
    return { kind: entry.kind, legs, balance: entry.balance_after, actor: event.metadata.actor };
  });

/** Records a late fact about an operation of a new shop, and waits until it is listed. */
async function recordLateFact(
  type: 'payment' | 'payout',
  kind: 'late_money' | 'late_status' | 'overcharge' | 'approved_money_missing',
) {
  const shopId = newId();
  const operationId =
    type === 'payment'
      ? await givenPayment(admin.store, { shopId, answers: [acceptance()], after: [cancelled] })
      : await givenPayout(admin.store, { shopId, answer: { outcome: 'refused', reason: 'limit' } });
  const about = { operation_id: operationId, shop_id: shopId, merchant_id: 'merchant', attempt: 1 };
  const leg = { completed_at: '2026-01-31T12:00:00.000Z' };
  const missing = { of: 'approval', corrects: 'operator-leg', counted_amount: '100.00' };
  const missingLeg = { ...leg, leg_id: 'operator-leg:corrected-1', amount: '-40.00' };
  const facts = {
    approved_money_missing: {
      type: 'DifferenceReported',
      data: { currency: 'RUB', ...missing, leg: missingLeg, reported_amount: '60.00' },
    },
    late_money: {
      type: 'LateMoneyReceived',
      data: { currency: 'RUB', leg: { ...leg, leg_id: 'leg-1', amount: '60.00', file: false } },
    },
    overcharge: {
      type: 'PayoutOvercharged',
      data: { currency: 'RUB', agreed_amount: '101.00', charged_amount: '111.10' },
    },
    late_status: {
      type: 'LateStatusReported',
      data: { reported_status: 'completed', operation_status: 'declined' },
    },
  };
  const { type: eventType, data } = facts[kind];
  const origin = { actor: 'provider:sandbox', correlationId: operationId };
  const fact = { type: eventType, data: { ...about, provider: 'sandbox', ...data } };
  const event = toNewEvent(fact, origin);
  const stream = lateStream(operationId);
  await admin.store.append({ stream, expectedRevision: -1, events: [event] });
  await expect.poll(async () => (await list(`shop_id=${shopId}`)).length).toBe(1);
  return { shopId, operationId, entryId: event.id };
}

test('lists an overcharged payout, and acknowledges it without a posting (R12.16)', async () => {
  const { shopId, entryId } = await recordLateFact('payout', 'overcharge');
  const before = await ledgerOf(shopId);
  const amounts = { agreed_amount: '101.00', charged_amount: '111.10' };
  const fact = { kind: 'overcharge', currency: 'RUB', ...amounts };
  const open = await list(`shop_id=${shopId}&status=open`);
  expect(open).toMatchObject([{ entry_id: entryId, ...fact }]);
  expect((await resolve(entryId, { resolution: 'charge_shop', note: 'x' })).status).toBe(400);
  const note = 'the provider pays it back';
  expect(await resolve(entryId, { resolution: 'acknowledge', note })).toMatchObject({
    status: 200,
    body: { ...fact, status: 'resolved', resolved_by: 'oleg' },
  });
  expect(await ledgerOf(shopId)).toEqual(before);
  await expect.poll(async () => (await list(`shop_id=${shopId}&status=open`)).length).toBe(0);
});

test('charges the shop once for approved money that did not arrive (R13.19)', async () => {
  const { shopId, entryId } = await recordLateFact('payment', 'approved_money_missing');
  const fact = { kind: 'approved_money_missing', currency: 'RUB', amount: '-40.00' };
  const amounts = { counted_amount: '100.00', reported_amount: '60.00' };
  expect(await list(`shop_id=${shopId}&status=open`)).toMatchObject([
    { entry_id: entryId, ...fact, ...amounts },
  ]);
  for (const resolution of ['credit_shop', 'acknowledge'])
    expect(await resolve(entryId, { resolution, note: 'x' })).toMatchObject({ status: 400 });
  const body = { resolution: 'charge_shop', note: 'the payer never paid' };
  for (const _ of ['first', 'again'])
    expect(await resolve(entryId, body)).toMatchObject({
      status: 200,
      body: { ...fact, status: 'resolved', resolution: 'charge_shop', resolved_by: 'oleg' },
    });
  expect(await ledgerOf(shopId)).toMatchObject([
    { kind: 'suspense', legs: ['provider 40.00', 'suspense -40.00'] },
    { kind: 'resolution', legs: ['suspense 40.00', 'balance -40.00'] },
  ]);
  await expect.poll(async () => (await list(`shop_id=${shopId}&status=open`)).length).toBe(0);
});

describe('late money', () => {
  test('of a payment is credited to the shop once, by an operator’s counter-entry (R13.10)', async () => {
    const { shopId, entryId } = await recordLateFact('payment', 'late_money');
    expect(await list(`shop_id=${shopId}&status=open`)).toMatchObject([
      { entry_id: entryId, status: 'open' },
    ]);
    const body = { resolution: 'credit_shop', note: 'the payer confirmed' };
    const first = await resolve(entryId, body);
    expect(first).toMatchObject({
      status: 200,
      body: {
        entry_id: entryId,
        kind: 'late_money',
        amount: '60.00',
        status: 'resolved',
        ...body,
        resolved_by: 'oleg',
        resolved_at: expect.stringMatching(/Z$/),
      },
    });
    expect(await ledgerOf(shopId)).toEqual([
      {
        kind: 'suspense',
        legs: ['provider -60.00', 'suspense 60.00'],
        balance: '0.00',
        actor: 'service:admin',
      },
      {
        kind: 'resolution',
        legs: ['suspense -60.00', 'balance 60.00'],
        balance: '60.00',
        actor: 'operator:oleg',
      },
    ]);
    // The list returns the same once the decision is projected.
    await expect.poll(async () => list(`shop_id=${shopId}&status=resolved`)).toEqual([first.body]);
    expect(await list(`shop_id=${shopId}&status=open`)).toEqual([]);
    // A repeat by another operator returns the first decision.
    const repeat = await resolve(entryId, body, tokens.admin);
    expect(repeat).toMatchObject({ status: 200, body: first.body });
    for (const other of [
      { ...body, resolution: 'return' },
      { ...body, note: 'another' },
    ]) {
      expect(await resolve(entryId, other)).toMatchObject(problem(409, 'adjustment_conflict'));
    }
    expect(await ledgerOf(shopId)).toHaveLength(2);
  });

  test('gets only a resolution that fits (R13.10)', async () => {
    const { shopId, entryId } = await recordLateFact('payout', 'late_money');
    for (const resolution of ['credit_shop', 'acknowledge'])
      expect(await resolve(entryId, { resolution, note: 'n' })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/resolution' }] },
      });
    expect((await resolve(entryId, { resolution: 'charge_shop', note: 'n' })).status).toBe(200);
    expect((await ledgerOf(shopId)).at(-1)).toMatchObject({
      kind: 'resolution',
      legs: ['suspense 60.00', 'balance -60.00'],
    });
  });

  test('is resolved by one of several concurrent decisions (R13.10)', async () => {
    const { shopId, entryId } = await recordLateFact('payment', 'late_money');
    const answers = await Promise.all(
      ['credit_shop', 'return', 'write_off'].map((resolution) =>
        resolve(entryId, { resolution, note: 'n' }),
      ),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409']);
    expect((await ledgerOf(shopId)).map(({ kind }) => kind)).toEqual(['suspense', 'resolution']);
  });
});

test('acknowledges a contradicting status once, in its operation’s events (R13.9)', async () => {
  const { shopId, operationId, entryId } = await recordLateFact('payment', 'late_status');
  const misfit = await resolve(entryId, { resolution: 'write_off', note: 'n' });
  expect(misfit).toMatchObject({ status: 400, body: { errors: [{ pointer: '/resolution' }] } });
  const body = { resolution: 'acknowledge', note: 'reported to the provider' };
  const first = await resolve(entryId, body);
  const resolved = { status: 'resolved', ...body, resolved_by: 'oleg' };
  expect(first).toMatchObject({
    status: 200,
    body: { entry_id: entryId, kind: 'late_status', ...resolved },
  });
  expect(await resolve(entryId, body)).toMatchObject({ status: 200, body: first.body });
  expect((await resolve(entryId, { ...body, note: 'x' })).body.code).toBe('adjustment_conflict');
  expect(await ledgerOf(shopId)).toEqual([]);
  await expect.poll(async () => list(`shop_id=${shopId}`)).toEqual([first.body]);
  const { body: history } = await admin.call<{ events: { type: string; metadata: object }[] }>(
    `GET /admin/v1/operations/${operationId}/events`,
  );
  expect(history.events.at(-1)).toMatchObject({
    type: 'LateStatusAcknowledged',
    metadata: { actor: 'operator:oleg', causation_id: entryId },
  });
});

test.each([
  [{}, ['/resolution', '/note']],
  [{ resolution: 'forget', note: '' }, ['/resolution', '/note']],
  [{ resolution: 'return', note: 'x'.repeat(2001) }, ['/note']],
])('rejects %j', async (body, pointers) => {
  const answer = await resolve(newId(), body);
  expect(answer.status).toBe(400);
  expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
});

test('returns 404 for an unknown entry', async () => {
  const answer = await resolve(newId(), { resolution: 'return', note: 'n' });
  expect(answer).toMatchObject(problem(404, 'not_found'));
});

test('the read model excludes resolved entries from the open ones, and is identical after a rebuild', async () => {
  await recordLateFact('payment', 'late_money');
  const waiting = (await list('status=open&limit=200')).map(({ entry_id: id }) => id).toSorted();
  expect(waiting.length).toBeGreaterThan(0);
  const db = connectDatabase<unknown>(admin.databaseUrl, { applicationName: 'rebuild-test' });
  onTestFinished(() => db.destroy());
  const open = sql<{ entry_id: string }>`select entry_id from gateway.suspense_open`;
  const { rows } = await open.execute(db);
  expect(rows.map(({ entry_id: id }) => id).toSorted()).toEqual(waiting);
  const { store } = admin;
  const report = await rebuild({ db, store, model: suspenseReadModel, logger, swap: false });
  expect(report.comparison).toMatchObject({ different: 0 });
});
