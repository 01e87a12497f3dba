import { beforeEach, describe, expect, it } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import { readEntryKinds } from '#infra/verify/harness/stores/store.ts';
import {
  askAdmin,
  merchantForFile,
  type MerchantAnswer,
} from '#infra/verify/harness/shops/merchant.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';

// A provider that is polled, has no idempotency keys, is slow and loses replies must meet the same
// guarantees as any other.

// Each is longer than a pause of a busy machine.
const acceptanceMs = 6_000;
const arrivalMs = 6_000;
const clockSkewMs = 500;
const stack = stackForFile({
  env: {
    PROVIDER_ACCEPTANCE_MS: String(acceptanceMs),
    BANK_ARRIVAL_MS: String(arrivalMs),
    BANK_CLOCK_SKEW_MS: String(clockSkewMs),
    WEBHOOK_RETRY_SCHEDULE: '0s,200ms,500ms,1s,2s,2s,2s,2s,2s,2s',
  },
});
const short = { provider: 'bank', options: { payable_s: 5 }, min_amount: '500.00' };
const merchant = merchantForFile(stack, {
  routes: [{ provider: 'bank', max_amount: '499.99' }, short, { type: 'payout', provider: 'bank' }],
});

const bank = forFile(() => controlBank(stack.urls.sandbox));
beforeEach(() => bank.behave({ book_ms: 500 }));

const within = { intervalMs: 50 };
const untilStatus = (id: string, ...statuses: string[]) =>
  merchant.waitForStatus(id, statuses, { ...within, mayFail: true });
/** The reference that the payer must write into the purpose of the transfer. */
const referenceIn = ({ body }: MerchantAnswer) => String(body.transfer_purpose);

const reserves = async () =>
  (await readEntryKinds(stack, merchant.shopId)).filter((kind) => kind === 'reserve').length;

async function untilEntries(id: string, entries: readonly string[]): Promise<void> {
  let posted: string[] = [];
  const all = async () =>
    (posted = await readEntryKinds(stack, merchant.shopId, id)).length >= entries.length;
  await eventually(`${id} has its entries`, all, within);
  expect(posted).toEqual(entries);
}

/** The time from which a lost order can no longer arrive, and that of the decline. */
async function declineTimes(id: string): Promise<{ possibleFrom: number; declined: number }> {
  const { body } = await askAdmin(stack, 'GET', `/operations/${id}/events`);
  const events = body.events as {
    type: string;
    timestamp: string;
    data: { accept_until?: string };
  }[];
  const find = (name: string) => events.find(({ type }) => type === name);
  const acceptUntil = Date.parse(find('OperationAdmitted')?.data.accept_until ?? '');
  return {
    possibleFrom: acceptUntil + arrivalMs + clockSkewMs,
    declined: Date.parse(find('OperationDeclined')?.timestamp ?? ''),
  };
}

/** Expects one terminal status, posted once and sent by webhook once. */
async function endedOnce(id: string, end: string, entries: readonly string[]): Promise<void> {
  const terminal = ['completed', 'partially_completed', 'declined', 'expired', 'cancelled'];
  expect(await untilStatus(id, ...terminal)).toBe(end);
  await merchant.waitForDelivery(
    ({ operationId, type }) => operationId === id && type.endsWith(`.${end}`),
  );
  await untilEntries(id, entries);
  const deliveries = merchant.deliveries.filter(({ operationId }) => operationId === id);
  expect(new Set(deliveries.map(({ id: message }) => message)).size).toBe(1);
}

const transfersOf = async (id: string) => (await bank.withPurpose(id)).map(({ state }) => state);

// They run concurrently because each waits for polls.
describe.concurrent('a working bank', () => {
  it('completes a payment by a transfer, without callbacks', async () => {
    const created = await merchant.pay('paid', '123.45');
    expect(created).toMatchObject({ status: 200, body: { status: 'pending' } });
    await bank.incoming({ amount: '123.45', purpose: `за заказ, ${referenceIn(created)}` });
    await endedOnce(created.body.operation_id, 'completed', ['credit']);
  });

  it('expires an unpaid payment, and completes a partly paid one in part (R13.17)', async () => {
    const part = await merchant.pay('part', '500.00');
    await bank.incoming({ amount: '200.00', purpose: referenceIn(part) });
    const none = await merchant.pay('no-money', '500.00');
    await endedOnce(none.body.operation_id, 'expired', []);
    expect(await bank.withPurpose(referenceIn(none))).toEqual([]);
    await endedOnce(part.body.operation_id, 'partially_completed', ['credit']);
    // After its window has ended, the payment is still polled for late money (R13.17).
    await bank.incoming({ amount: '300.00', purpose: referenceIn(part) });
    const both = ['credit', 'suspense'];
    await untilEntries(part.body.operation_id, both);
  });

  it('has its returned payout detected and posted once (R13.18)', async () => {
    const { body } = await merchant.payOut('comes-back');
    await endedOnce(body.operation_id, 'completed', ['reserve', 'capture']);
    const [transfer] = await bank.withPurpose(body.operation_id);
    await bank.decide(transfer?.transfer ?? '', 'returned', '10.00');
    const both = ['reserve', 'capture', 'suspense'];
    await untilEntries(body.operation_id, both);
    const { body: state } = await merchant.state({ operation_id: body.operation_id });
    expect(state.status).toBe('completed');
  });
});

describe('a payment by the bank', () => {
  it('is completed in parts, by a slow bank that lists lines twice', async () => {
    await bank.behave({ slow_ms: 400, duplicate_lines: 1 });
    const created = await merchant.pay('in-parts', '100.00');
    for (const amount of ['60.00', '40.00'])
      await bank.incoming({ amount, purpose: referenceIn(created) });
    await endedOnce(created.body.operation_id, 'completed', ['credit']);
    const { body } = await merchant.state({ operation_id: created.body.operation_id });
    expect(body).toMatchObject({ actual_amount: '100.00', receipts: [{}, {}] });
  });
});

describe('a payout by the bank', () => {
  it('is declined if lost, but only once the order can no longer arrive', async () => {
    await bank.behave({ lose_requests: 1 });
    const { body } = await merchant.payOut('lost');
    expect(body.status).toBe('pending');
    await endedOnce(body.operation_id, 'declined', ['reserve', 'release']);
    const { declined, possibleFrom } = await declineTimes(body.operation_id);
    expect(declined).toBeGreaterThanOrEqual(possibleFrom);
    expect(await transfersOf(body.operation_id)).toEqual([]);
  });

  it.each([
    // This process sends the order and polls.
    'gateway',
    'sandbox-provider',
  ])('has one terminal status if %s is killed while the order is sent', async (name) => {
    await bank.behave({ slow_ms: 600, book_ms: 500 });
    const { [name]: old = 0 } = stack.pids();
    const before = await reserves();
    const key = `killed-${name}`;
    const paying = merchant.payOut(key).catch(() => undefined);
    // It is reserved, then sent, and the bank is slow to accept it.
    await eventually('it is reserved', async () => (await reserves()) > before, within);
    stack.kill(name);
    await paying;
    await stack.waitReady([old]);
    await bank.behave({ book_ms: 500 });
    const { body } = await merchant.payOut(key);
    const id: string = body.operation_id;
    const completed = (await untilStatus(id, 'completed', 'declined')) === 'completed';
    await endedOnce(id, completed ? 'completed' : 'declined', [
      'reserve',
      completed ? 'capture' : 'release',
    ]);
    expect(await transfersOf(id)).toEqual(completed ? ['booked'] : []);
  });
});

it('passes the audit afterwards', async () => {
  await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
});
