import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '#infra/verify/harness/stores/database.ts';
import {
  acceptance,
  append,
  cancelled,
  givenPayment,
} from '#services/processor/testing/operations.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { leg } from '#shared/domain/operation/testing/given.ts';
import { testPersonalData } from '#shared/application/personal-data/testing/personal-data.ts';
import { newId } from '#shared/platform/ids.ts';
import { useConsole } from '../../console/testing/console.ts';
import { startAdmin, tokens, problem } from '../../testing/admin.ts';

const admin = useConsole();

type Page = { operations: { operation_id: string; status: string }[]; next_cursor: string | null };
const requisites = { number: '4111111111111111', name: 'IVAN', bankname: 'sberbank' };
const accepted: ProviderAnswer = { outcome: 'accepted', providerReference: 'ref', requisites };

test('before the read models exist, lists return not_ready, and single operations are returned', async () => {
  const database = await createDatabase();
  const { eventStoreUrl } = admin;
  const early = await startAdmin({ eventStoreUrl, databaseUrl: database.url });
  onTestFinished(async () => {
    await early.stop();
    await database.drop();
  });
  const operationId = await givenPayment(admin.store);
  expect(await early.call('GET /admin/v1/operations')).toMatchObject({
    status: 503,
    body: { code: 'not_ready', retryable: true },
  });
  expect(await early.call(`GET /admin/v1/operations/${operationId}`)).toMatchObject({
    status: 200,
    body: { status: 'creating', attempts: [{ provider: 'sandbox', outcome: 'started' }] },
  });
});

describe('GET /admin/v1/operations/{operation_id}', () => {
  test('returns the current state with attempts and masked numbers', async () => {
    const refused = { outcome: 'refused', reason: 'limit' } as const;
    const operationId = await givenPayment(admin.store, { answers: [refused, accepted] });
    const path = `GET /admin/v1/operations/${operationId}`;
    const { status, body } = await admin.call(path, { token: tokens.auditor });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      operation_id: operationId,
      status: 'pending',
      expected_amount: '100.00',
      actual_amount: '0.00',
      settlement_amount: '99.00',
      shop_id: 'shop',
      merchant_operation_id: `order-${operationId}`,
      number: '411111******1111',
      attempts: [
        { attempt: 1, provider: 'sandbox', outcome: 'refused', reason: 'limit' },
        { attempt: 2, provider: 'sandbox', outcome: 'accepted', provider_reference: 'ref' },
      ],
    });
    await append(admin.store, operationId, { events: [cancelled], expectedRevision: 4 });
    const after = await admin.call(path);
    expect(after.body).toMatchObject({ status: 'cancelled', cancel_reason: 'cancel' });
    expect(after.body).not.toHaveProperty('number');
  });

  test('returns the events oldest first, with metadata and masked numbers', async () => {
    const payment = { answers: [accepted], after: [cancelled] };
    const operationId = await givenPayment(admin.store, payment);
    const { body } = await admin.call<{ events: Record<string, unknown>[] }>(
      `GET /admin/v1/operations/${operationId}/events`,
    );
    expect(body.events.map(({ type, revision }) => [type, revision])).toEqual([
      ['OperationAdmitted', 0],
      ['AttemptStarted', 1],
      ['AttemptAccepted', 2],
      ['OperationCancelled', 3],
    ]);
    const bank = { bankname: requisites.bankname, bankname_details: 'Сбербанк' };
    expect(body.events[2]).toEqual({
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'AttemptAccepted',
      revision: 2,
      timestamp: expect.stringMatching(/Z$/),
      data: expect.objectContaining({ requisites: { ...bank, number: '411111******1111' } }),
      metadata: { actor: 'service:test', correlation_id: operationId, schema_version: 3 },
    });
    expect(JSON.stringify(body)).not.toContain(requisites.number);
  });

  test('returns 404 for an operation cancelled before its create, but returns its events', async () => {
    const operationId = newId();
    const about = { operation_id: operationId, shop_id: 'shop', merchant_id: 'merchant' };
    const data = { ...about, merchant_operation_id: 'order', reason: 'cancel' };
    const first = { type: 'OperationCancelledBeforeCreate' as const, data };
    await append(admin.store, operationId, { events: [first], expectedRevision: -1 });
    const path = `GET /admin/v1/operations/${operationId}`;
    expect(await admin.call(path)).toMatchObject(problem(404, 'operation_not_found'));
    const events = [{ type: 'OperationCancelledBeforeCreate' }];
    expect(await admin.call(`${path}/events`)).toMatchObject({ status: 200, body: { events } });
  });

  test('returns 404 for an unknown operation and its events', async () => {
    const path = `GET /admin/v1/operations/${newId()}`;
    for (const each of [path, `${path}/events`])
      expect(await admin.call(each)).toMatchObject(problem(404, 'operation_not_found'));
  });
});

describe('GET /admin/v1/operations', () => {
  test('filters, and pages through each operation once, newest first (R16.8)', async () => {
    const shopId = newId();
    const created: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      created.push(await givenPayment(admin.store, { answers: [acceptance()], shopId }));
      await delay(5); // the order within a millisecond is undefined
    }
    const list = async (query: string) =>
      (await admin.call<Page>(`GET /admin/v1/operations?shop_id=${shopId}${query}`)).body;
    await expect.poll(async () => (await list('')).operations.length).toBe(5);
    await expect.poll(async () => (await list('&status=pending')).operations.length).toBe(5);

    const listed: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 3; pages += 1) {
      const page = await list(`&limit=2${cursor}`);
      listed.push(...page.operations.map(({ operation_id: id }) => id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(listed).toEqual(created.toReversed());
    expect((await list('&status=completed')).operations).toEqual([]);
    expect((await list('&type=payout')).operations).toEqual([]);
    const one = await list(`&merchant_operation_id=order-${created[3]}&type=payment`);
    expect(one.operations).toMatchObject([{ operation_id: created[3], status: 'pending' }]);
  });
});

describe('GET /admin/v1/suspense', () => {
  type Entries = { entries: Record<string, unknown>[]; next_cursor: string | null };
  const list = async (query: string) =>
    (await admin.call<Entries>(`GET /admin/v1/suspense${query}`)).body;

  test('pages through late money and contradicting statuses', async () => {
    const shopId = newId();
    const payment = { shopId, answers: [acceptance()], after: [cancelled] };
    const operationId = await givenPayment(admin.store, payment);
    const late = leg('leg-1', '10.50');
    const report = { attempt: 1, status: 'partially_completed' as const, legs: [late] };
    const applied = await takeReport(
      { store: admin.store, personal: testPersonalData(admin.store) },
      { operationId, provider: 'sandbox', answer: acceptance(), report },
      { actor: 'provider:sandbox', correlationId: 'c' },
    );
    expect(applied.outcome).toBe('taken');
    const query = `?shop_id=${shopId}`;
    await expect.poll(async () => (await list(query)).entries.length).toBe(2);
    const first = await list(`${query}&limit=1`);
    const second = await list(`${query}&limit=1&cursor=${first.next_cursor}`);
    expect(second.next_cursor).toBeNull();
    const entries = [...first.entries, ...second.entries].toSorted((left, right) =>
      String(left['kind']).localeCompare(String(right['kind'])),
    );
    const about = {
      entry_id: expect.any(String),
      operation_id: operationId,
      shop_id: shopId,
      merchant_id: 'merchant',
      provider: 'sandbox',
      attempt: 1,
      received_at: expect.stringMatching(/Z$/),
      status: 'open',
      resolution: null,
      note: null,
      resolved_by: null,
      resolved_at: null,
    };
    expect(entries).toEqual([
      {
        ...about,
        kind: 'late_money',
        currency: 'RUB',
        amount: '10.50',
        leg_id: 'leg-1',
        provider_leg_id: 'leg-1',
        completed_at: late.completed_at,
      },
      {
        ...about,
        kind: 'late_status',
        reported_status: 'partially_completed',
        operation_status: 'cancelled',
      },
    ]);
    const { body } = await admin.call<{ events: { type: string; revision: number }[] }>(
      `GET /admin/v1/operations/${operationId}/events`,
    );
    expect(body.events.slice(-2).map(({ type, revision }) => [type, revision])).toEqual([
      ['LateMoneyReceived', 0],
      ['LateStatusReported', 1],
    ]);
  });
});

test('GET /admin/v1/projections returns the lag of the read models', async () => {
  type Models = { projections: Record<string, unknown>[] };
  const operations = async () =>
    (await admin.call<Models>('GET /admin/v1/projections')).body.projections.find(
      ({ name }) => name === 'operations',
    );
  const caughtUp = { lag_events: 0, lag_ms: 0, status: 'live' };
  const position = expect.stringMatching(/^\d+$/);
  await expect.poll(operations).toMatchObject({ position, ...caughtUp });
});
