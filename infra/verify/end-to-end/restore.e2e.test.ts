import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { query } from '#infra/verify/harness/stores/database.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { commandSandbox, setUpMerchant } from '#infra/verify/harness/shops/merchant.ts';
import {
  startTestStack,
  stackEnvironment,
  type TestStack,
} from '#infra/verify/harness/stacks/test-stack.ts';

// docs/operators/recovery.md, "When PostgreSQL is lost": its data is derived from the log.

const within = { intervalMs: 100 };

const operations = (stack: TestStack) =>
  query<{ operation_id: string; status: string }>(
    stack.env['DATABASE_URL'] ?? '',
    'select operation_id, status, settlement_amount::text from gateway.operations order by operation_id',
  );

it('restores all data from the log after the loss of PostgreSQL, and continues (R19.5)', async () => {
  const dataDir = useTempFolder();
  const env = await stackEnvironment(dataDir);
  const before = await startTestStack({ dataDir, env });
  const merchant = await setUpMerchant(before, { routes: [{}, { type: 'payout' }] });
  onTestFinished(() => merchant.close());
  for (const name of ['one', 'two', 'three']) {
    const { body } = await merchant.pay(name);
    await commandSandbox(before.urls.sandbox, body.operation_id);
    await merchant.waitForStatus(body.operation_id, ['completed']);
    await merchant.waitForDelivery(({ operationId }) => operationId === body.operation_id);
  }
  const { body: open } = await merchant.payOut('still-open');
  const isProjected = async () =>
    (await operations(before))
      .map(({ status }) => status)
      .toSorted()
      .join() === 'completed,completed,completed,pending';
  await eventually('all is in SQL', isProjected, within);
  const rowsBefore = await operations(before);
  await before.stop();

  rmSync(join(dataDir, 'postgres'), { recursive: true });
  const after = await startTestStack({ dataDir, env });
  onTestFinished(async () => void (await after.stop()));
  const restored = async () =>
    JSON.stringify(await operations(after)) === JSON.stringify(rowsBefore);
  await eventually('the read models are as they were', restored, within);
  // Open operations continue: the processor finds its due work in the log.
  await commandSandbox(before.urls.sandbox, open.operation_id);
  await merchant.waitForStatus(open.operation_id, ['completed']);
  await merchant.waitForDelivery(({ operationId }) => operationId === open.operation_id);
  // Deliveries were recorded only in PostgreSQL, so each webhook is sent once more, with the
  // same content.
  const areDelivered = async () => {
    const sent = await query<{ count: string }>(
      after.env['DATABASE_URL'] ?? '',
      `select count(*) from webhooks.message where status = 'delivered'`,
    );
    return sent[0]?.count === '4';
  };
  await eventually('every webhook is recorded again', areDelivered, within);
  const bodies = Map.groupBy(merchant.deliveries, ({ id }) => id);
  expect(bodies.size).toBe(4);
  for (const [, deliveries] of bodies)
    expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
  await expect(expectAuditToPass(dataDir)).resolves.toBeUndefined();
});
