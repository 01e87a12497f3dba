import { describe, expect, it } from 'vitest';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { Ledgers } from '#shared/application/ledger/types.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { useGateway } from '../testing/gateway.ts';

const gateway = useGateway();
const replayed = (answer: { headers: Headers }) => answer.headers.get('idempotent-replayed');

/** A shop, and an instance that accepts as many creates as the test sets. */
async function overloaded(find?: (ids: readonly string[]) => Promise<ReadonlySet<string>>) {
  const createLimit = { value: 0 };
  const shop = await gateway.shop();
  const instance = await gateway.secondInstance({
    gateOptions: { burstMs: 0, limit: createLimit, ...(find && { find }) },
  });
  return { createLimit, shop, busy: shop.on(instance) };
}

describe('an overloaded process', () => {
  it('rejects a create at once, and stores nothing of it (R4.10)', async () => {
    const { shop, busy, createLimit } = await overloaded();
    const body = gateway.payment();
    const refused = await busy.post('/v1/payment', body);
    expect(refused).toMatchObject({ status: 503, body: { code: 'not_ready', retryable: true } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    const { merchant_operation_id } = body;
    expect((await shop.state({ merchant_operation_id })).status).toBe(404);

    createLimit.value = 1;
    const first = await busy.post('/v1/payment', body);
    expect([first.status, replayed(first)]).toEqual([200, null]);
  });

  it('still responds to a repeat of its own create (R4.10)', async () => {
    const { busy, createLimit } = await overloaded();
    const body = gateway.payment();
    createLimit.value = 1;
    const first = await busy.post('/v1/payment', body);
    createLimit.value = 0;
    const repeat = await busy.post('/v1/payment', body);
    expect([repeat.status, replayed(repeat)]).toEqual([200, 'true']);
    expect(repeat.body).toMatchObject({ operation_id: first.body.operation_id });
    expect((await busy.post('/v1/payment', { ...body, amount: '1.00' })).body).toMatchObject({
      code: 'idempotency_body_mismatch',
    });
  });

  it('still responds to a repeat of an earlier create of another process (R4.10)', async () => {
    const recorded = new Set<string>();
    const { shop, busy } = await overloaded(async () => recorded);
    const body = gateway.payment();
    const first = await shop.post('/v1/payment', body);
    recorded.add(String(first.body.operation_id));
    const repeat = await busy.post('/v1/payment', body);
    expect([repeat.status, replayed(repeat)]).toEqual([200, 'true']);
  });

  it('rejects a create if the read model fails or does not respond', async () => {
    const { busy } = await overloaded(() => Promise.reject(new Error('down')));
    expect((await busy.post('/v1/payment', gateway.payment())).status).toBe(503);
    const silent = await overloaded(() => new Promise(() => undefined));
    expect((await silent.busy.post('/v1/payment', gateway.payment())).status).toBe(503);
  });

  it('rejects reads of the log, and still serves cancels (R4.10)', async () => {
    const { shop, busy } = await overloaded();
    const { operation_id } = (await shop.post('/v1/payment', gateway.payment())).body;
    const reads = [
      await busy.state({ operation_id }),
      await busy.fetch('/v1/balances', { method: 'GET' }),
    ];
    for (const { status, headers } of reads) {
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect((await busy.cancel({ operation_id })).status).toBe(200);
    expect((await busy.cancel({ merchant_operation_id: newId() })).status).toBe(200);
  });

  it('does not count a create that waits for its provider', async () => {
    const limit = { value: 1 };
    const instance = await gateway.secondInstance({ acceptanceMs: 6_000, gateOptions: { limit } });
    const hanging = await gateway.shop({ routes: [{ options: { accept: 'hang' } }] });
    const other = (await gateway.shop()).on(instance);
    const merchant_operation_id = newId();
    const waiting = hanging.on(instance).pay({ merchant_operation_id });
    await gateway.provider.submitted(hanging, merchant_operation_id);
    expect((await other.pay({})).status).toBe(200);
    expect((await waiting).status).toBe(422);
  });

  it('does not count a repeat that waits for a create of another process', async () => {
    const first = await gateway.secondInstance({ acceptanceMs: 6_000 });
    const appended: string[] = [];
    const store: EventStore = {
      ...gateway.store,
      append: (request) =>
        gateway.store.append(request).finally(() => appended.push(request.stream)),
    };
    const gateOptions = { limit: { value: 1 } };
    const second = await gateway.secondInstance({ acceptanceMs: 6_000, gateOptions, store });
    const hanging = await gateway.shop({ routes: [{ options: { accept: 'hang' } }] });
    const other = (await gateway.shop()).on(second);
    const body = gateway.payment();
    const waiting = hanging.on(first).post('/v1/payment', body);
    await gateway.provider.submitted(hanging, body.merchant_operation_id);
    const repeat = hanging.on(second).post('/v1/payment', body);
    await expect.poll(() => appended.some((stream) => stream.startsWith('operation-'))).toBe(true);
    expect((await other.pay({})).status).toBe(200);
    expect([(await waiting).status, (await repeat).status]).toEqual([422, 422]);
  });

  it('does not count a payout that waits for a quote, and counts its reservation', async () => {
    let attempts = 0;
    const limit = {
      get value() {
        attempts += 1;
        return 1;
      },
    };
    const [quote, posting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const quoteRequested = Promise.withResolvers<void>();
    const appended: string[] = [];
    const ledgers: Ledgers = {
      ...gateway.ledgers,
      post: async (request) => {
        appended.push(request.kind);
        await posting.promise;
        return gateway.ledgers.post(request);
      },
    };
    const store: EventStore = {
      ...gateway.store,
      append: (request) => {
        appended.push(...request.events.map(({ type }) => `${type} ${request.stream}`));
        return gateway.store.append(request);
      },
    };
    const instance = await gateway.withSandbox(
      {
        quote: async (...args) => {
          quoteRequested.resolve();
          await quote.promise;
          return gateway.sandbox.quote(...args);
        },
      },
      { ledgers, store, gateOptions: { limit } },
    );
    const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
    const converting = await gateway.shop({
      routes: [{ type: 'payout', conversion, options: { fx_rate: '0.012500' } }],
    });
    const other = (await gateway.shop()).on(instance);
    const waiting = converting.on(instance).post('/v1/payout', gateway.payout());
    await quoteRequested.promise;
    expect((await other.pay({})).status).toBe(200);

    quote.resolve();
    await expect.poll(() => appended.some((entry) => entry === 'reserve')).toBe(true);
    attempts = 0;
    const second = other.pay({});
    await expect.poll(() => attempts).toBeGreaterThan(0);
    posting.resolve();
    const answers = await Promise.all([waiting, second]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { operation_id } = answers[0].body;
    const admitted = `OperationAdmitted ${operationStream(answers[1].body.operation_id as string)}`;
    const reserved = `FundsReserved ${operationStream(operation_id as string)}`;
    expect(appended).toContain(reserved);
    expect(appended.indexOf(admitted)).toBeGreaterThan(appended.indexOf(reserved));
  });

  it('decides every one of a hundred payouts at once while few may be in progress (R4.10)', async () => {
    const instance = await gateway.secondInstance({ gateOptions: { limit: { value: 8 } } });
    const shop = (await gateway.shop({ routes: [{ type: 'payout' }] })).on(instance);
    const burst = Array.from({ length: 100 }, () => shop.post('/v1/payout', gateway.payout()));
    const statuses = (await Promise.all(burst)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
