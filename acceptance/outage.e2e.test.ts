import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shopForFile } from './support/shop.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import { sendOnce, target } from './support/http.ts';
import { until } from './support/until.ts';

const resume = () => process.kill(target.eventStorePid, 'SIGCONT');
/** The gateway process that does not run the event store. */
const other = 1;
const readyz = async (at: 0 | 1 = 0) =>
  sendOnce(`${target.gateways[at]}/readyz`, { method: 'GET' });

// The store is frozen during the first test's requests only.
describe('R2.9: an outage of the event store', { concurrent: false }, () => {
  const shop = shopForFile({ webhook: true });
  let id: string;
  const early = `early-${crypto.randomUUID()}`;
  beforeAll(async () => {
    ({ operation_id: id } = await shop.made(shop.pay()));
    // Makes that gateway cache the shop.
    await shop.balance('RUB', other);
    // Pid 0 would signal this process and its whole group.
    if (target.eventStorePid === 0) throw new Error('the event store is not known');
    await freeze(target.eventStorePid);
  });
  afterAll(() => void resume());

  const once = async (method: string, path: string, json?: object) =>
    sendOnce(`${target.gateways[other]}${path}`, {
      method,
      headers: { 'x-api-key': shop.apiKey },
      ...(json && { json }),
    });

  it('makes balances, cancels and /readyz return 503 instead of a made-up answer (R1.9, R2.9)', async () => {
    const [ready, balances, cancel, before] = await Promise.all([
      readyz(other),
      once('GET', '/v1/balances'),
      once('POST', '/v1/cancel_operation', { operation_id: id }),
      once('POST', '/v1/cancel_operation', { merchant_operation_id: early }),
    ]);
    resume();
    // On a slow machine the key has to be checked again by then, which the outage prevents.
    const unavailable = (code: string) => ({
      status: 503,
      body: { code: expect.toBeOneOf([code, 'not_ready']) as string, retryable: true },
    });
    expect(ready).toMatchObject(unavailable('not_ready'));
    expect(balances).toMatchObject(unavailable('accounting_unavailable'));
    expect(cancel).toMatchObject(unavailable('cancel_undecided'));
    expect(before).toMatchObject(unavailable('cancel_undecided'));
  });

  it('R8.12: lets the same cancel succeed afterwards', async () => {
    await until('ready again', readyz, {
      holds: ({ status }) => status === 204,
    });
    const decided = await until('decided', async () => shop.cancel({ operation_id: id }), {
      holds: ({ status }) => status === 200,
    });
    expect(decided.body).toMatchObject({ outcome: 'cancelled', operation: { operation_id: id } });
    expect((await shop.cancel({ merchant_operation_id: early })).body).toMatchObject({
      outcome: 'cancelled',
    });
    expect(await shop.balance()).toMatchObject({ balance: '0.00' });
    expect(await shop.delivered(id)).toMatchObject({ type: 'payment.cancelled', sequence: 1 });
  });
});
