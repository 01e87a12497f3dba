import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shopForFile } from './support/shop.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import { send, target } from './support/http.ts';
import { until } from './support/until.ts';

const resume = () => process.kill(target.eventStorePid, 'SIGCONT');
/** The gateway that is not in the event store's process. */
const other = 1;
const readyz = async () => send(`${target.gateways[0]}/readyz`, { method: 'GET' });

// The log is paused for the duration of one request each, then continues.
describe('R2.9: an outage of the event store', { concurrent: false }, () => {
  const shop = shopForFile({ webhook: true });
  let id: string;
  const early = `early-${crypto.randomUUID()}`;
  beforeAll(async () => {
    ({ operation_id: id } = await shop.made(shop.pay()));
    // From now on it knows the shop.
    await shop.balance('RUB', other);
    // 0 would be this process and all of its group.
    if (target.eventStorePid === 0) throw new Error('the event store is not known');
    await freeze(target.eventStorePid);
  });
  afterAll(() => void resume());

  it('makes balances and cancels return 503 instead of a made-up answer (R2.9)', async () => {
    const [balances, cancel, before] = await Promise.all([
      shop.call('/v1/balances', undefined, other),
      shop.cancel({ operation_id: id }, other),
      shop.cancel({ merchant_operation_id: early }, other),
    ]);
    resume();
    expect(balances).toMatchObject({
      status: 503,
      body: { code: 'accounting_unavailable', retryable: true },
    });
    expect(cancel).toMatchObject({
      status: 503,
      body: { code: 'cancel_undecided', retryable: true },
    });
    expect(before).toMatchObject({
      status: 503,
      body: { code: 'cancel_undecided', retryable: true },
    });
  });

  it('R8.12: lets the same cancel succeed afterwards', async () => {
    await until('ready again', readyz, {
      holds: ({ status }) => status === 204,
      timeoutMs: 30_000,
    });
    const decided = await until('decided', async () => shop.cancel({ operation_id: id }), {
      holds: ({ status }) => status === 200,
      timeoutMs: 30_000,
    });
    expect(decided.body).toMatchObject({ outcome: 'cancelled', operation: { operation_id: id } });
    expect((await shop.cancel({ merchant_operation_id: early })).body).toMatchObject({
      outcome: 'cancelled',
    });
    expect(await shop.balance()).toMatchObject({ balance: '0.00' });
    expect(await shop.delivered(id)).toMatchObject({ type: 'payment.cancelled', sequence: 1 });
  });
});
