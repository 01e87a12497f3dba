import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectSoundBooks } from '#services/audit/testing/run-audit.ts';
import { controlBank, type BankControl } from '#services/sandbox-provider/testing/bank-control.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { connectEventStore } from '#shared/platform/event-store/index.ts';
import { setUpMerchant, type Answer, type TestMerchant } from '#infra/verify/harness/merchant.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/test-stack.ts';
import { waitUntil } from '#infra/process/wait-until.ts';

// A provider that is polled, knows no keys, is slow and loses replies: what is true of any provider
// is true of it.

let stack: TestStack;
let merchant: TestMerchant;
let bank: BankControl;
const acceptanceMs = 2_000;
const arrivalMs = 3_000;
const clockSkewMs = 1_000;

beforeAll(async () => {
  stack = await startTestStack({
    env: {
      PROVIDER_ACCEPTANCE_MS: String(acceptanceMs),
      BANK_ARRIVAL_MS: String(arrivalMs),
      BANK_CLOCK_SKEW_MS: String(clockSkewMs),
      WEBHOOK_RETRY_SCHEDULE: '0s,200ms,500ms,1s,2s,2s,2s,2s,2s,2s',
    },
  });
  bank = controlBank(stack.urls.sandbox);
  const short = { provider: 'bank', options: { payable_s: 6 }, min_amount: '500.00' };
  merchant = await setUpMerchant(stack, {
    routes: [
      { provider: 'bank', max_amount: '499.99' },
      short,
      { type: 'payout', provider: 'bank' },
    ],
  });
});
beforeEach(() => bank.behave({ book_ms: 500 }));
afterAll(async () => {
  await merchant?.close();
  await stack?.stop();
});

const within = { timeoutMs: 40_000, intervalMs: 50 };
const statusOf = async (id: string) =>
  (await merchant.state({ operation_id: id }).catch(() => undefined))?.body?.status as
    | string
    | undefined;
const untilStatus = (id: string, ...statuses: string[]) =>
  waitUntil(
    `it is ${statuses.join()}`,
    async () => statuses.includes((await statusOf(id)) ?? ''),
    within,
  );
/** The reference that the payer must write into the purpose of the transfer. */
const referenceIn = ({ body }: Answer) =>
  /GW[0-9A-Z]{13}/.exec(String(body.bankname_details))?.[0] ?? '';

async function entriesOf(id: string): Promise<string[]> {
  const store = connectEventStore(stack.env['EVENT_STORE_URL'] ?? '');
  const events = await store.read(ledgerStream(merchant.shopId, 'RUB'));
  await store.close();
  return events
    .map((event) => decodeLedgerEvent(event).data)
    .flatMap((entry) => ('operation_id' in entry && entry.operation_id === id ? [entry.kind] : []));
}

/** It has one end, which is posted once and sent by webhook once. */
async function endedOnce(id: string, end: string, entries: readonly string[]): Promise<void> {
  await untilStatus(id, 'completed', 'partially_completed', 'declined', 'expired', 'cancelled');
  expect(await statusOf(id)).toBe(end);
  await merchant.waitForDelivery(
    ({ operationId, type }) => operationId === id && type.endsWith(`.${end}`),
  );
  await expect.poll(() => entriesOf(id), { timeout: 10_000 }).toEqual(entries);
  const told = merchant.deliveries.filter(({ operationId }) => operationId === id);
  expect(new Set(told.map(({ id: message }) => message)).size).toBe(1);
}

describe('a payment by the bank', () => {
  it('is paid within seconds of the transfer, although nobody calls back', async () => {
    const created = await merchant.pay('paid', '123.45');
    expect(created).toMatchObject({ status: 200, body: { status: 'pending' } });
    await bank.incoming({ amount: '123.45', purpose: `за заказ, ${referenceIn(created)}` });
    const beganAt = performance.now();
    await untilStatus(created.body.operation_id, 'completed');
    expect(performance.now() - beganAt).toBeLessThan(6_000);
    await endedOnce(created.body.operation_id, 'completed', ['credit']);
  });

  it('is paid in parts, and through a bank that is slow and shows everything twice', async () => {
    await bank.behave({ slow_ms: 400, duplicate_lines: 1 });
    const created = await merchant.pay('in-parts', '100.00');
    for (const amount of ['60.00', '40.00'])
      await bank.incoming({ amount, purpose: referenceIn(created) });
    await endedOnce(created.body.operation_id, 'completed', ['credit']);
    const { body } = await merchant.state({ operation_id: created.body.operation_id });
    expect(body).toMatchObject({ actual_amount: '100.00', receipts: [{}, {}] });
  });

  it('expires without money, and with a part of it is completed in part', async () => {
    const [none, part] = [
      await merchant.pay('no-money', '500.00'),
      await merchant.pay('part', '500.00'),
    ];
    await bank.incoming({ amount: '200.00', purpose: referenceIn(part) });
    await endedOnce(none.body.operation_id, 'expired', []);
    expect(await bank.withPurpose(referenceIn(none))).toEqual([]);
    await endedOnce(part.body.operation_id, 'partially_completed', ['credit']);
    // The window ended it: what comes later is looked for all the same (R13.17).
    await bank.incoming({ amount: '300.00', purpose: referenceIn(part) });
    const both = ['credit', 'suspense'];
    await expect.poll(() => entriesOf(part.body.operation_id), { timeout: 30_000 }).toEqual(both);
  });

  it('goes to no bank that does not answer', async () => {
    await bank.behave({ lose_reads: 1 });
    stack.kill('merchant-api');
    await delay(500);
    await stack.waitReady();
    const refused = await merchant.pay('unanswered', '100.00');
    expect(refused).toMatchObject({ status: 422, body: { code: 'provider_not_accepted' } });
  });
});

describe('a payout by the bank', () => {
  const transfersOf = async (id: string) => (await bank.withPurpose(id)).map(({ state }) => state);

  it('is completed once it is booked', async () => {
    const { body } = await merchant.payOut('out');
    await endedOnce(body.operation_id, 'completed', ['reserve', 'capture']);
    expect(await transfersOf(body.operation_id)).toEqual(['booked']);
  });

  it('that comes back is found within seconds, and is in the books once', async () => {
    const { body } = await merchant.payOut('comes-back');
    await endedOnce(body.operation_id, 'completed', ['reserve', 'capture']);
    const [transfer] = await bank.withPurpose(body.operation_id);
    await bank.decide(transfer?.transfer ?? '', 'returned', '10.00');
    const both = ['reserve', 'capture', 'suspense'];
    await expect.poll(() => entriesOf(body.operation_id), { timeout: 30_000 }).toEqual(both);
    expect(await statusOf(body.operation_id)).toBe('completed');
  });

  it('that the bank refuses is declined', async () => {
    await bank.behave({ reject: 1 });
    const { status, body } = await merchant.payOut('refused');
    expect(status).toBe(422);
    await endedOnce(body.operation_id, 'declined', ['reserve', 'release']);
  });

  it('whose reply was lost is found again, and sent once', async () => {
    await bank.behave({ lose_replies: 1, book_ms: 500 });
    const { status, body } = await merchant.payOut('reply-lost');
    expect([status, body.status]).toEqual([200, 'pending']);
    await endedOnce(body.operation_id, 'completed', ['reserve', 'capture']);
    expect(await transfersOf(body.operation_id)).toEqual(['booked']);
  });

  it('that arrives late is not given up before', async () => {
    await bank.behave({ late: 1, late_ms: 5_000, book_ms: 500 });
    const { body } = await merchant.payOut('late');
    expect(body.status).toBe('pending');
    await delay(3_500);
    expect(await statusOf(body.operation_id)).toBe('pending');
    await endedOnce(body.operation_id, 'completed', ['reserve', 'capture']);
    expect(await transfersOf(body.operation_id)).toEqual(['booked']);
  });

  it('that was lost is declined once it can not arrive any more, and not before', async () => {
    await bank.behave({ lose_requests: 1 });
    const beganAt = performance.now();
    const { body } = await merchant.payOut('lost');
    expect(body.status).toBe('pending');
    await endedOnce(body.operation_id, 'declined', ['reserve', 'release']);
    expect(performance.now() - beganAt).toBeGreaterThan(acceptanceMs + arrivalMs + clockSkewMs);
    expect(await transfersOf(body.operation_id)).toEqual([]);
  });

  it('waits as long as the bank can not be asked', async () => {
    await bank.behave({ lose_requests: 1, lose_reads: 1 });
    const { body } = await merchant.payOut('silent');
    await delay(acceptanceMs + arrivalMs + clockSkewMs + 2_000);
    expect(await statusOf(body.operation_id)).toBe('pending');
    await bank.behave({});
    await endedOnce(body.operation_id, 'declined', ['reserve', 'release']);
  });

  it.each([
    ['merchant-api', 'gateway'],
    ['processor', 'gateway'],
    ['sandbox-provider', 'sandbox-provider'],
  ])('has one end where %s is killed while the order is on its way', async (name, process) => {
    await bank.behave({ slow_ms: 600, book_ms: 500 });
    const before = stack.pids();
    const key = `killed-${name}`;
    const paying = merchant.payOut(key).catch(() => undefined);
    await delay(500);
    stack.kill(name);
    await paying;
    const old = before[process];
    if (old === undefined) throw new Error(`no process ${process}`);
    await stack.waitReady([old]);
    await bank.behave({ book_ms: 500 });
    const { body } = await merchant.payOut(key);
    const id: string = body.operation_id;
    await untilStatus(id, 'completed', 'declined');
    const completed = (await statusOf(id)) === 'completed';
    await endedOnce(id, completed ? 'completed' : 'declined', [
      'reserve',
      completed ? 'capture' : 'release',
    ]);
    expect(await transfersOf(id)).toEqual(completed ? ['booked'] : []);
  });
});

it('money for a cancelled payment is seen, and is late', async () => {
  const created = await merchant.pay('cancelled', '100.00');
  const { body } = created;
  const url = `${stack.urls.gateway}/v1/cancel_operation`;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': merchant.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ merchant_operation_id: 'cancelled' }),
  });
  expect(answer.status).toBe(200);
  await bank.incoming({ amount: '100.00', purpose: referenceIn(created) });
  await expect.poll(() => entriesOf(body.operation_id), { timeout: 30_000 }).toEqual(['suspense']);
});

it('leaves books in which the audit finds nothing wrong', async () => {
  await expect(expectSoundBooks(stack.dataDir)).resolves.toBeUndefined();
});
