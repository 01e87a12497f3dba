import { expect, it } from 'vitest';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { atSandbox, commandSandbox, setUpMerchant } from '#infra/verify/harness/shops/merchant.ts';
import { freezePostgres } from '#infra/verify/harness/stores/freeze-postgres.ts';
import { useStack } from '#infra/verify/harness/stacks/test-stack.ts';

// docs/operators/recovery.md, "While PostgreSQL is unavailable".

const soon = { intervalMs: 100 };

it('restarts while PostgreSQL is frozen, and answers, posts and runs due steps (R19.7)', async () => {
  const stack = await useStack();
  const merchant = await setUpMerchant(stack);
  const settle = (id: string) => commandSandbox(stack.urls.sandbox, id);
  const state = async (id: string) => (await merchant.state({ operation_id: id })).body;
  const [paid, open, cancelled] = await Promise.all(
    ['paid', 'open', 'cancelled'].map(async (name) => (await merchant.pay(name)).body.operation_id),
  );
  await settle(paid);
  await merchant.waitForDelivery(({ operationId }) => operationId === paid);

  const unfreeze = await freezePostgres(stack);
  const before = stack.pids()['gateway'];
  stack.kill('gateway');
  const answers = async () =>
    stack.pids()['gateway'] !== before && (await state(paid).catch(() => ({}))).status;
  await eventually('the merchant API answers', answers, soon);
  const restarted = stack.pids()['gateway'];
  expect(await state(paid)).toMatchObject({ status: 'completed', settlement_amount: '97.50' });
  expect(await merchant.balance()).toBe('97.50');

  // By a callback, and by due work: a cancelled payment is withdrawn from its provider.
  await settle(open);
  await merchant.waitForStatus(open, ['completed']);
  expect(await merchant.balance()).toBe('195.00');
  const { body } = await merchant.call('POST', '/v1/cancel_operation', { operation_id: cancelled });
  expect(body).toMatchObject({ outcome: 'cancelled' });
  const cancels = async () =>
    (await atSandbox(stack.urls.sandbox, cancelled)).body.cancels.length > 0;
  await eventually('it is withdrawn from its provider', cancels, soon);
  expect(stack.pids()['gateway']).toBe(restarted);
  expect(merchant.deliveries.some(({ operationId }) => operationId === open)).toBe(false);

  unfreeze();
  await merchant.waitForDelivery(({ operationId }) => operationId === open);
  await stack.waitReady();
  await expectAuditToPass(stack.dataDir);
});
