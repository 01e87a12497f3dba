import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { backUp } from '#infra/backup/testing/run-backup.ts';
import { preparePostgres } from '#infra/postgres/launch.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { startUntilReady } from '#infra/process/start-process.ts';
import { startWatchdog } from '#infra/process/watchdog.ts';
import { query } from '#infra/verify/harness/stores/database.ts';
import { runTool } from '#infra/verify/harness/processes/tool-process.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { commandSandbox, setUpMerchant } from '#infra/verify/harness/shops/merchant.ts';
import { useStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';

const restoreMain = fileURLToPath(new URL('main.ts', import.meta.url));
const auditMain = fileURLToPath(new URL('../../services/audit/main.ts', import.meta.url));

/** A copy of the log of a stack with N completed payments, each with its webhook. */
async function makeCopy(stack: TestStack, operations: number) {
  const merchant = await setUpMerchant(stack);
  onTestFinished(() => merchant.close());
  for (let each = 0; each < operations; each += 1) await completeOne(stack, merchant);
  const to = useTempFolder();
  expect(await backUp({ DATA_DIR: stack.dataDir }, '--to', to, '--once')).toMatchObject({
    code: 0,
  });
  return { to, merchant };
}

/** Runs PostgreSQL on the folder of a stack that was stopped. */
async function usePostgres(folder: string): Promise<{ url: string }> {
  const prepared = await preparePostgres({ folder, port: await findFreePort() });
  const watchdog = startWatchdog();
  const server = await startUntilReady(prepared, { watchdog });
  onTestFinished(async () => {
    await server.stop(15_000);
    await watchdog.close();
  });
  return { url: prepared.superuserUrl };
}

async function completeOne(stack: TestStack, merchant: Awaited<ReturnType<typeof setUpMerchant>>) {
  const { body } = await merchant.pay(`order-${Date.now()}`);
  await commandSandbox(stack.urls.sandbox, body.operation_id);
  await merchant.waitForStatus(body.operation_id, ['completed']);
  await merchant.waitForDelivery(({ operationId }) => operationId === body.operation_id);
  return body.operation_id as string;
}

it('rehearses a restore, and compares each webhook with the recorded one (R26.6)', async () => {
  const stack = await useStack();
  const { to } = await makeCopy(stack, 2);
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

it('names what differs from the recorded webhooks and what the copy lacks, and ends with 1 (R26.3, R26.6)', async () => {
  const dataDir = useTempFolder();
  const stack = await useStack({ dataDir });
  const { to, merchant } = await makeCopy(stack, 4);
  await completeOne(stack, merchant);
  const checkpoint = join(useTempFolder(), 'checkpoint.json');
  const audited = await runTool(auditMain, { DATA_DIR: dataDir }, ['--checkpoint', checkpoint]);
  expect(audited).toMatchObject({ code: 0 });
  // The gateway repairs some of these.
  await stack.stop();
  const { url } = await usePostgres(join(dataDir, 'postgres'));
  const messages = await query<{ id: string }>(
    url,
    'select message_id as id from webhooks.message order by ordinal',
  );
  const [changed = '', deleted = '', copied = ''] = messages.map(({ id }) => id);
  const change = (text: string, ...values: string[]) => query(url, text, values);
  await change(`update webhooks.message set body = body || ' ' where message_id = $1`, changed);
  const copyRow = `insert into webhooks.message
      (message_id, event_id, shop_id, other_endpoint_id, operation_id, sequence, type, body, occurred_at)
    select $2, $3, shop_id, other_endpoint_id, $4, 99, type, body, occurred_at
    from webhooks.message where message_id = $1`;
  const operation = 'select operation_id as id from webhooks.message where message_id = $1';
  const [of] = await query<{ id: string }>(url, operation, [copied]);
  await change(copyRow, copied, 'surplus', copied, of?.id ?? '');
  await change(copyRow, copied, 'newer', randomUUID(), randomUUID());
  await change('delete from webhooks.message where message_id = $1', deleted);
  const where = { DATA_DIR: dataDir, DATABASE_URL: url };
  const args = ['--from', to, '--drill', '--checkpoint', checkpoint];
  const drill = await runTool(restoreMain, where, args);
  expect(drill.output).toMatch(
    /differs: the copy lacks \d+ events that the checkpoint of .* covers/,
  );
  expect(drill.output).toContain(
    '4 derived, 2 equal to the recorded ones, 3 differ, 2 recorded ones are newer than the copy',
  );
  expect(drill.output).toContain(`the webhook ${changed} (payment.completed) has another body`);
  expect(drill.output).toContain(`the webhook ${deleted} (payment.completed) was not recorded`);
  expect(drill.output).toContain('the webhook surplus (payment.completed) is not derived');
  expect(drill.code).toBe(1);
});
