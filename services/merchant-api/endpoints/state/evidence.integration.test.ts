import { describe, expect, it } from 'vitest';
import { evidenceStream } from '#shared/domain/evidence/events.ts';
import type {
  ProviderEvidenceItem,
  ProviderConnector,
} from '#shared/application/providers/connector.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const withoutEvidence = () =>
  gateway.withSandbox({ evidence: async () => ({ outcome: 'unavailable', cause: 'timeout' }) });

/** A provider whose reports don't say that their legs are complete, so evidence is requested. */
const partialReports = { evidence: 'partial' };

/** A payment received in two parts: 60.00 with a file, then 40.00 without one. */
async function paid(options: object = {}) {
  const shop = await gateway.shop({ routes: [{ options }] });
  const { body } = await shop.pay({ merchant_operation_id: 'order-1' });
  await gateway.provider.act(body.operation_id, 'leg', { amount: '60.00' });
  const legs = [{ amount: '40.00', file: false }];
  await gateway.provider.act(body.operation_id, 'settle', { result: 'completed', legs });
  return { shop, operation_id: body.operation_id as string };
}

describe('the receipts of an operation', () => {
  it('have one item for each contribution, by either identifier (R10.3)', async () => {
    const { shop, operation_id } = await paid();
    const { status, body } = await shop.state({ operation_id });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'completed', receipt_evidence_status: 'complete' },
    });
    const item = {
      id: expect.stringMatching(uuid),
      completed_at: expect.stringMatching(/\.\d{3}Z$/),
    };
    const url = new RegExp(
      `^http://gateway.test/receipts/${operation_id}/${body.receipts[0].id}\\?expires=`,
    );
    expect(body.receipts).toEqual([
      { ...item, amount: 60, receipt_url: expect.stringMatching(url) },
      { ...item, amount: 40, receipt_url: null },
    ]);
    const other = (await shop.state({ merchant_operation_id: 'order-1' })).body;
    expect(other.receipts.map(({ id }: { id: string }) => id)).toEqual(
      body.receipts.map(({ id }: { id: string }) => id),
    );
  });

  it('are not returned before the status is terminal, even if some were received (R10.3)', async () => {
    const shop = await gateway.shop();
    const { operation_id } = (await shop.pay({})).body;
    await gateway.provider.act(operation_id, 'leg', { amount: '60.00' });
    expect((await shop.state({ operation_id })).body).toMatchObject({
      status: 'pending',
      actual_amount: '60.00',
      receipt_evidence_status: 'not_ready',
      receipts: [],
    });
  });

  it('are returned for a partially completed payout (R10.4)', async () => {
    const shop = await gateway.shop({ routes: [{ type: 'payout' }] });
    const { operation_id } = (await shop.payOut({})).body;
    const legs = [{ amount: '10.00' }, { amount: '20.00' }, { amount: '30.00' }];
    await gateway.provider.act(operation_id, 'settle', { result: 'partial', legs });
    const { body } = await shop.state({ operation_id });
    expect(body).toMatchObject({
      status: 'partially_completed',
      receipt_evidence_status: 'complete',
    });
    const ids = body.receipts.map(({ id }: { id: string }) => id);
    // All three have the same time.
    expect(ids).toEqual(ids.toSorted((left: string, right: string) => (left < right ? -1 : 1)));
    expect(new Set(body.receipts.map(({ amount }: { amount: number }) => amount))).toEqual(
      new Set([10, 20, 30]),
    );
  });

  it('are empty and complete for an operation that ended without money (R10.4)', async () => {
    const shop = await gateway.shop({ routes: [{ options: { evidence: 'unavailable' } }] });
    const none = { receipt_evidence_status: 'complete', receipts: [] };
    const [declined, expired, cancelled] = [
      (await shop.pay({})).body.operation_id,
      (await shop.pay({})).body.operation_id,
      (await shop.pay({})).body.operation_id,
    ];
    await gateway.provider.act(declined, 'settle', { result: 'declined' });
    await gateway.provider.act(expired, 'settle', { result: 'expired' });
    await shop.cancel({ operation_id: cancelled });
    for (const [operation_id, status] of [
      [declined, 'declined'],
      [expired, 'expired'],
      [cancelled, 'cancelled'],
    ]) {
      expect(await shop.state({ operation_id })).toMatchObject({
        status: 200,
        body: { status, ...none },
      });
    }
    const refusing = await gateway.shop({ routes: [{ options: { accept: 'decline' } }] });
    const rejected = await refusing.pay({ merchant_operation_id: 'order-1' });
    expect(rejected.status).toBe(422);
    expect((await refusing.state({ merchant_operation_id: 'order-1' })).body).toMatchObject(none);
  });

  it('are sorted by time, then by id', async () => {
    const shop = await gateway.shop();
    const { operation_id } = (await shop.pay({})).body;
    const [early, late] = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.001Z'];
    const leg = (leg_id: string, amount: string, completed_at: string) => ({
      leg_id,
      amount,
      completed_at,
    });
    const id = (last: string) => `00000000-0000-4000-8000-00000000000${last}`;
    const legs = [
      leg(id('1'), '10.00', late),
      leg(id('3'), '20.00', early),
      leg(id('2'), '70.00', early),
    ];
    await gateway.complete(operation_id, legs);
    const items: ProviderEvidenceItem[] = legs.map((each) => ({
      ...each,
      file: true,
      synthetic: false,
    }));
    const api = await gateway.withSandbox({
      evidence: async () => ({ outcome: 'known', status: 'complete', items }),
    });
    const { body } = await shop.on(api).state({ operation_id });
    expect(body.receipts).toMatchObject([
      { id: id('2'), completed_at: early },
      { id: id('3'), completed_at: early },
      { id: id('1'), completed_at: late },
    ]);
  });
});

describe('receipt evidence', () => {
  it('returns 503 by operation_id, and unavailable by merchant_operation_id, on any instance (R10.6)', async () => {
    const { shop, operation_id } = await paid({ evidence: 'unavailable' });
    for (const each of [shop, shop.on(await gateway.secondInstance())]) {
      const answer = await each.state({ operation_id });
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 'receipt_evidence_unavailable', retryable: true },
      });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await each.state({ merchant_operation_id: 'order-1' })).toMatchObject({
        status: 200,
        body: {
          operation_id,
          status: 'completed',
          actual_amount: '100.00',
          settlement_amount: '97.50',
          receipt_evidence_status: 'unavailable',
          receipts: [],
        },
      });
    }
  });

  it('comes from fully reported legs, without a call and without a stored copy', async () => {
    const { shop, operation_id } = await paid();
    const broken = shop.on(await withoutEvidence());
    for (const by of [{ operation_id }, { merchant_operation_id: 'order-1' }])
      expect(await broken.state(by)).toMatchObject({
        status: 200,
        body: {
          receipt_evidence_status: 'complete',
          receipts: [
            { amount: 60, receipt_url: expect.any(String) },
            { amount: 40, receipt_url: null },
          ],
        },
      });
    expect(await gateway.store.read(evidenceStream(operation_id))).toEqual([]);
  });

  it('is returned once the provider has it, and remains afterwards', async () => {
    const { shop, operation_id } = await paid(partialReports);
    const broken = shop.on(await withoutEvidence());
    expect((await broken.state({ operation_id })).status).toBe(503);
    const { receipts } = (await shop.state({ operation_id })).body;
    expect(receipts).toHaveLength(2);
    const again = await broken.state({ operation_id });
    expect(again.status).toBe(200);
    const ids = (from: { id: string }[]) => from.map(({ id }) => id);
    expect(ids(again.body.receipts)).toEqual(ids(receipts));
  });

  it('is unavailable until it covers the whole amount (R10.6)', async () => {
    const { shop, operation_id } = await paid(partialReports);
    const wrong = await gateway.withSandbox({
      evidence: async (...args) => {
        const reply = await gateway.sandbox.evidence(...args);
        return reply.outcome === 'known' ? { ...reply, items: reply.items.slice(1) } : reply;
      },
    });
    expect((await shop.on(wrong).state({ operation_id })).status).toBe(503);
    expect(await gateway.store.read(evidenceStream(operation_id))).toEqual([]);
  });

  it('is stored once, and requested once by each instance, for concurrent reads', async () => {
    const { shop, operation_id } = await paid(partialReports);
    let requests = 0;
    const counting: Partial<ProviderConnector> = {
      evidence: (...args) => {
        requests += 1;
        return gateway.sandbox.evidence(...args);
      },
    };
    const clients = [
      shop.on(await gateway.withSandbox(counting)),
      shop.on(await gateway.withSandbox(counting)),
    ];
    const reads = await Promise.all(
      Array.from({ length: 20 }, (_, index) => clients[index % 2]!.state({ operation_id })),
    );
    const ids = reads.map(({ body }) =>
      JSON.stringify(body.receipts.map(({ id }: { id: string }) => id)),
    );
    expect(new Set(ids).size).toBe(1);
    expect(requests).toBeLessThanOrEqual(2);
    expect(await gateway.store.read(evidenceStream(operation_id))).toHaveLength(1);
  });

  it('is requested with a timeout of at most 5 s', async () => {
    const { shop, operation_id } = await paid(partialReports);
    let timeoutMs = Infinity;
    const api = await gateway.withSandbox({
      evidence: async (_, bounds) => {
        ({ timeoutMs } = bounds);
        return { outcome: 'unavailable', cause: 'timeout' };
      },
    });
    await shop.on(api).state({ operation_id });
    expect(timeoutMs).toBeLessThanOrEqual(5_000);
  });
});
