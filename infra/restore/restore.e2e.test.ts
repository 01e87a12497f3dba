import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { backUp } from '#infra/backup/testing/run-backup.ts';
import { runTool } from '#infra/verify/harness/tool-process.ts';
import { useTempFolder } from '#infra/verify/harness/for-file.ts';
import { commandSandbox, setUpMerchant } from '#infra/verify/harness/merchant.ts';
import { useStack, type TestStack } from '#infra/verify/harness/test-stack.ts';
import { fileURLToPath } from 'node:url';

const restoreMain = fileURLToPath(new URL('main.ts', import.meta.url));

async function completeOne(stack: TestStack, merchant: Awaited<ReturnType<typeof setUpMerchant>>) {
  const { body } = await merchant.pay(`order-${Date.now()}`);
  await commandSandbox(stack.urls.sandbox, body.operation_id);
  await merchant.waitForStatus(body.operation_id, ['completed']);
  await merchant.waitForDelivery(({ operationId }) => operationId === body.operation_id);
  return body.operation_id as string;
}

it('rehearses a restore, and compares each webhook with the recorded one (R26.6)', async () => {
  const stack = await useStack();
  const merchant = await setUpMerchant(stack);
  onTestFinished(() => merchant.close());
  const to = useTempFolder();
  await completeOne(stack, merchant);
  await completeOne(stack, merchant);
  expect(await backUp({ DATA_DIR: stack.dataDir }, '--to', to, '--once')).toMatchObject({
    code: 0,
  });
  const report = join(useTempFolder(), 'drill.json');
  const where = { DATA_DIR: stack.dataDir };
  const args = ['--from', to, '--drill', '--report', report];
  const drill = await runTool(restoreMain, where, args);
  expect(drill.output).toMatch(/RPO .*\nRTO /);
  expect(drill.output).toContain('The drill held.');
  expect(drill.code).toBe(0);
  expect(drill.output).toMatch(/derive the webhooks: .* 2 derived, 2 equal/);
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ held: true, differences: [] });
});
