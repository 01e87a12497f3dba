import { describe, expect, test } from 'vitest';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLedgers } from '#shared/application/ledger/ledgers.ts';
import { problem, useAdmin, type Body } from '../../testing/admin.ts';
import { adjustmentStream } from '#shared/application/ledger/adjust.ts';

const admin = useAdmin();

const body = (change: object = {}) => ({
  adjustment_id: 'invoice 7 / ё',
  currency: 'RUB',
  amount: '100.00',
  reason: 'top-up',
  ...change,
});
const adjust = (shopId: string, content: object) =>
  admin.call<Body & { code?: string }>(`POST /admin/v1/shops/${shopId}/adjustments`, {
    body: content,
  });
const ledger = (shopId: string, currency = 'RUB') =>
  admin.store.read(ledgerStream(shopId, currency));

describe('POST /admin/v1/shops/{shop_id}/adjustments', () => {
  test('posts an entry with its operator, and returns the same entry to a repeat', async () => {
    const shopId = await admin.newShop();
    const first = await adjust(shopId, body());
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      ...body(),
      entry_id: expect.any(String),
      shop_id: shopId,
      balance: '100.00',
      reserved: '0.00',
      operator: 'alice',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    await adjust(shopId, body({ adjustment_id: 'another', amount: '-150.25' }));
    // The position is that of the first entry, without the effect of the second.
    expect(await adjust(shopId, body())).toMatchObject({ status: 200, body: first.body });

    const events = await ledger(shopId);
    expect(events.map((event) => decodeLedgerEvent(event).data)).toMatchObject([
      { kind: 'adjustment', balance_after: '100.00', reason: 'top-up' },
      { kind: 'adjustment', balance_after: '-50.25' },
    ]);
    expect(events[0]?.metadata).toMatchObject({
      actor: 'operator:alice',
      request_id: first.headers.get('x-request-id'),
      causation_id: expect.any(String),
    });
  });

  test.each([{ amount: '100.01' }, { reason: 'another' }, { currency: 'USD' }])(
    'rejects another body under the same ID, in any currency: %j',
    async (change) => {
      const shopId = await admin.newShop();
      await adjust(shopId, body());
      const refused = problem(409, 'adjustment_conflict');
      expect(await adjust(shopId, body(change))).toMatchObject(refused);
      expect(await ledger(shopId)).toHaveLength(1);
      expect(await ledger(shopId, 'USD')).toHaveLength(0);
    },
  );

  test('accepts the same ID for different shops', async () => {
    const [one, other] = [await admin.newShop(), await admin.newShop()];
    expect((await adjust(one, body())).status).toBe(201);
    expect((await adjust(other, body({ amount: '5.00' }))).status).toBe(201);
  });

  test('posts one entry for concurrent requests, and returns 201 to one of them', async () => {
    const shopId = await admin.newShop();
    const answers = await Promise.all(Array.from({ length: 8 }, () => adjust(shopId, body())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await ledger(shopId)).toHaveLength(1);
  });

  test('ignores the overdraft limit', async () => {
    const shopId = await admin.newShop();
    const limits = { overdraft_limits: { RUB: '0.00' } };
    await admin.call(`PATCH /admin/v1/shops/${shopId}`, { body: limits });
    const amount = '-999999999999999.99';
    expect((await adjust(shopId, body({ amount }))).body).toMatchObject({ balance: amount });
  });

  test('returns 404 for an unknown shop', async () => {
    expect(await adjust(newId(), body())).toMatchObject(problem(404, 'not_found'));
  });

  const request = async (shopId: string) => {
    const data = { shop_id: shopId, ...body() };
    const metadata = { correlation_id: 'c', actor: 'operator:alice', schema_version: 1 };
    const events = [{ id: newId(), type: 'AdjustmentRequested', data, metadata }];
    const stream = adjustmentStream(shopId, data.adjustment_id);
    const requested = await admin.store.append({ stream, expectedRevision: -1, events });
    return requested.outcome === 'appended' ? requested.position : 0n;
  };

  test('finishes an adjustment that was requested but not posted (R12.14)', async () => {
    const shopId = await admin.newShop();
    await request(shopId);
    expect((await adjust(shopId, body({ amount: '1.00' }))).status).toBe(409);
    expect((await adjust(shopId, body())).status).toBe(201);
    expect((await adjust(shopId, body())).status).toBe(200);
    expect(await ledger(shopId)).toHaveLength(1);
  });

  test('recognises an adjustment whose entry is already posted', async () => {
    const shopId = await admin.newShop();
    const dueSince = await request(shopId);
    const another = createLedgers({ store: admin.store });
    const { adjustment_id: adjustmentId, currency, amount, reason } = body();
    const origin = { actor: 'operator:alice', correlationId: 'c' };
    const about = { shopId, currency, dueSince, origin };
    await another.post({ kind: 'adjustment', adjustmentId, amount, reason, ...about });
    await another.stop();
    expect((await adjust(shopId, body())).status).toBe(200);
    expect(await ledger(shopId)).toHaveLength(1);
  });
});
