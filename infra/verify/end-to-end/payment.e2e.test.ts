import { describe, expect, it } from 'vitest';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { freeze } from '#infra/process/testing/freeze.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { readEntryKinds } from '#infra/verify/harness/stores/store.ts';
import {
  atSandbox,
  commandSandbox,
  merchantForFile,
  type MerchantAnswer,
} from '#infra/verify/harness/shops/merchant.ts';

const stack = stackForFile({
  env: {
    PROVIDER_ACCEPTANCE_MS: '10000',
    WEBHOOK_RETRY_SCHEDULE: '0s,200ms,500ms,1s,2s,2s,2s,2s,2s,2s',
  },
});
const options = { accept_delay_ms: 300 };
const merchant = merchantForFile(stack, { routes: [{ options }, { type: 'payout', options }] });
/** Its payments await a receipt. */
const confirming = merchantForFile(stack, { routes: [{ requires_receipt: true }] });

/** Repeats the same request until it is answered, as a careful client does. */
async function sendUntilAnswered(send: () => Promise<MerchantAnswer>): Promise<MerchantAnswer> {
  let answer: MerchantAnswer | undefined;
  const isAnswered = async () => {
    answer = await send().catch(() => undefined);
    return answer !== undefined && answer.status < 500;
  };
  await eventually('there is an answer', isAnswered, { intervalMs: 100 });
  return answer as MerchantAnswer;
}

const reserves = async () =>
  (await readEntryKinds(stack, merchant.shopId)).filter((kind) => kind === 'reserve').length;

async function completed(operationId: string): Promise<void> {
  const settleIt = async () => {
    const answer = await commandSandbox(stack.urls.sandbox, operationId).catch(() => undefined);
    return answer !== undefined && answer.status < 500;
  };
  await eventually('the provider settled', settleIt, { intervalMs: 100 });
  await merchant.waitForStatus(operationId, ['completed'], { mayFail: true });
}

/** Expects a payout to reach one terminal status, posted once and sent by webhook once. */
async function payoutEnded(operationId: string): Promise<void> {
  const ended = async () => {
    // A provider that does not have it reports that to the next poll.
    await commandSandbox(stack.urls.sandbox, operationId).catch(() => undefined);
    const answer = await merchant.state({ operation_id: operationId }).catch(() => undefined);
    return ['completed', 'declined'].includes(answer?.body?.status);
  };
  await eventually('the payout has ended', ended, { intervalMs: 200 });
  const { body } = await merchant.state({ operation_id: operationId });
  const kinds = await readEntryKinds(stack, merchant.shopId, operationId);
  const end = body.status === 'completed' ? 'capture' : 'release';
  expect(kinds.filter((kind) => kind !== 'reserve')).toEqual([end]);
  expect(kinds.filter((kind) => kind === 'reserve').length).toBeLessThanOrEqual(1);
  const atProvider = await atSandbox(stack.urls.sandbox, operationId);
  const submissions: { key: string; times: number }[] = atProvider.body.submissions ?? [];
  expect(new Set(submissions.map(({ key }) => key)).size).toBe(submissions.length);
  const delivery = await merchant.waitForDelivery(({ operationId: id }) => id === operationId);
  expect(delivery).toMatchObject({ type: `payout.${body.status}`, sequence: 1 });
}

describe('a payment and a payout in flight when a process is killed with -9', () => {
  it.each([
    // Runs the event store and all services that a create, its reports and its webhook need.
    'gateway',
    'sandbox-provider',
    'projections',
    'nats',
    'postgres',
  ])('%s: get one terminal status, one submission per key, and webhooks (R19.4)', async (name) => {
    const key = `killed-${name}`;
    const { [name]: before = 0 } = stack.pids();
    const reserved = await reserves();
    const paying = sendUntilAnswered(() => merchant.pay(key));
    const payingOut = sendUntilAnswered(() => merchant.payOut(`${key}-out`));
    // The provider is slow: once funds are reserved, the create is between its two appends.
    const isReserved = async () => (await reserves()) > reserved;
    await eventually('the payout is reserved', isReserved, { intervalMs: 5 });
    stack.kill(name, 'SIGKILL');
    const { status, body } = await paying;
    await stack.waitReady([before]);

    const id: string = body.operation_id;
    // A provider killed before it stored the submission does not have it.
    const { body: atProvider } = await atSandbox(stack.urls.sandbox, id);
    const submissions: { key: string }[] = atProvider.submissions ?? [];
    expect(new Set(submissions.map((submission) => submission.key)).size).toBe(submissions.length);
    // A create whose process died with the provider's answer is declined after the timeout, and
    // stays declined.
    const end = status === 200 ? 'completed' : 'declined';
    if (end === 'completed') await completed(id);
    expect(body).toMatchObject(
      end === 'completed' ? { type: 'payment' } : { code: 'provider_not_accepted' },
    );
    expect(await merchant.state({ operation_id: id })).toMatchObject({ body: { status: end } });
    const delivery = await merchant.waitForDelivery(({ operationId }) => operationId === id);
    expect(merchant.faults).toEqual([]);
    expect(delivery.type).toBe(`payment.${end}`);
    const others = merchant.deliveries.filter(({ operationId }) => operationId === id);
    expect(new Set(others.map(({ id: messageId }) => messageId)).size).toBe(1);
    expect(new Set(others.map(({ body: text }) => text)).size).toBe(1);
    await payoutEnded((await payingOut).body.operation_id);
  });
});

async function confirm(operationId: string): Promise<MerchantAnswer> {
  const form = new FormData();
  form.append('receipt', new Blob(['%PDF-1.4 a receipt']));
  form.append('operation_id', operationId);
  form.append('confirmation_type', 'receipt');
  const response = await fetch(`${stack.urls.gateway}/v1/confirm_payment`, {
    method: 'POST',
    headers: { 'x-api-key': confirming.apiKey },
    body: form,
  });
  return { status: response.status, body: await response.json() };
}

it('delivers an accepted receipt to its provider even if the accepting process dies (R9.6)', async () => {
  const { operation_id: id } = (await confirming.pay('order-1')).body;
  const pids = stack.pids();

  // The provider hangs while the receipt is uploaded, and the process that accepted it dies.
  await freeze(pids['sandbox-provider'] ?? 0);
  const awaiting = { status: 200, body: { status: 'awaiting_confirmation' } };
  expect(await confirm(id)).toMatchObject(awaiting);
  stack.kill('merchant-api');
  stack.kill('sandbox-provider', 'SIGCONT');

  const receiptsThere = async (): Promise<object[]> =>
    (await atSandbox(stack.urls.sandbox, id).catch(() => undefined))?.body.receipts ?? [];
  await eventually('the provider has it', async () => (await receiptsThere()).length > 0);
  await stack.waitReady([pids['gateway'] ?? 0]);
  expect(await confirm(id)).toMatchObject(awaiting);
  const approved = { result: 'approve' };
  expect((await commandSandbox(stack.urls.sandbox, id, 'review', approved)).status).toBe(200);
  await confirming.waitForStatus(id, ['completed']);
  expect(await confirm(id)).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect(await receiptsThere()).toHaveLength(1);

  const { receipt_evidence_status, receipts } = (await confirming.state({ operation_id: id })).body;
  expect({ receipt_evidence_status, receipts }).toMatchObject({
    receipt_evidence_status: 'complete',
    receipts: [{ amount: 100 }],
  });
  const [{ receipt_url: url }] = receipts;
  expect(new URL(url).port).toBe(new URL(stack.urls.gateway).port);
  const download = await fetch(url);
  expect(download.headers.get('content-type')).toBe('application/pdf');
  expect(await download.text()).toMatch(/^%PDF-/);
  expect((await fetch(`${url}x`)).status).toBe(403);
});

it('passes the audit afterwards', async () => {
  await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
});
