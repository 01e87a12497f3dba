import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import {
  askAdmin,
  setUpMerchant,
  type TestMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import { createTestOperator, type TestOperator } from '#infra/verify/harness/shops/operator.ts';
import { expectAuditToPass } from '#services/audit/testing/run-audit.ts';
import { accountCredentials, openAccount } from '#services/sandbox-provider/testing/account.ts';

// Provider accounts on the deployed services: with callbacks, after kills, and without a secret
// on disk.

const autopilot = { autopilot_ms: 200 };

const stack = stackForFile({ env: { DEMO: '1' } });
let operator: TestOperator;
/** Its first route uses the account `second`; the other one uses the environment's. */
let own: TestMerchant;
let others: TestMerchant;

const keyOf = (account: string, version = 1) => accountCredentials(account, version).api_key;
const path = '/providers/sandbox/accounts';

/** Whether the provider has the operation's attempt in the account of the API key. */
async function isInAccountOf(operationId: string, apiKey: string): Promise<boolean> {
  const answer = await fetch(`${stack.urls.sandbox}/v1/attempts/${operationId}.1`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return answer.status === 200;
}

const completes = ({ waitForStatus }: TestMerchant, id: string) =>
  waitForStatus(id, ['completed'], { mayFail: true });

beforeAll(async () => {
  operator = createTestOperator(stack);
  await openAccount(stack.urls.sandbox, 'second');
  await operator('POST', path, {
    account: 'second',
    label: 'L',
    credentials: accountCredentials('second'),
  });
  own = await setUpMerchant(stack, {
    routes: [
      { provider: 'sandbox', account: 'second', options: autopilot },
      { provider: 'sandbox', priority: 2, options: autopilot },
    ],
  });
  others = await setUpMerchant(stack, { routes: [{ provider: 'sandbox', options: autopilot }] });
});
afterAll(async () => {
  await own?.close();
  await others?.close();
});

it('uses the account of the shop’s route, and accepts its callbacks (R23.3)', async () => {
  const [mine, theirs] = [await own.pay('mine'), await others.pay('theirs')];
  expect([mine.status, theirs.status]).toEqual([200, 200]);
  const key = keyOf('second');
  expect(await isInAccountOf(mine.body.operation_id, key)).toBe(true);
  expect(await isInAccountOf(theirs.body.operation_id, key)).toBe(false);
  await completes(own, mine.body.operation_id);
  await completes(others, theirs.body.operation_id);
});

it('replaces credentials during payments, and uses them after a kill (R23.4)', async () => {
  const before = stack.pids()['gateway'] ?? 0;
  await openAccount(stack.urls.sandbox, 'second', [1, 2]);
  const paid = await Promise.all([
    ...Array.from({ length: 10 }, (_, index) => own.pay(`during-${index}`)),
    operator('POST', `${path}/second/credentials`, {
      credentials: accountCredentials('second', 2),
    }),
  ]);
  await openAccount(stack.urls.sandbox, 'second', [2]);
  expect(paid.slice(0, 10).map(({ status }) => status)).toEqual(
    Array.from({ length: 10 }, () => 200),
  );
  stack.kill('merchant-api');
  await stack.waitReady([before]);
  const { status, body } = await own.pay('after-the-kill');
  expect(status).toBe(200);
  expect(await isInAccountOf(body.operation_id, keyOf('second', 2))).toBe(true);
  await completes(own, body.operation_id);
});

it('treats a command repeated after a lost response as the same command (R23.1)', async () => {
  const { pids } = stack;
  const before = pids()['gateway'] ?? 0;
  await openAccount(stack.urls.sandbox, 'third');
  const body = { account: 'third', label: 'L', credentials: accountCredentials('third') };
  const lost = operator('POST', path, body).catch(() => undefined);
  stack.kill('admin');
  await lost;
  await stack.waitReady([before]);
  expect(await operator('POST', path, body)).toMatchObject({
    account: 'third',
    credentials: { version: 1 },
  });
  const checked = await askAdmin(stack, 'GET', `${path}/third/check`);
  expect(checked.body).toMatchObject({ account: 'third', result: 'ok' });
});

it('writes no secret in clear to disk or output (R23.2)', () => {
  const secrets = ['second', 'third'].flatMap((name) => [
    keyOf(name),
    keyOf(name, 2),
    accountCredentials(name).callback_secret,
  ]);
  // The provider itself stores its accounts.
  const files = readdirSync(stack.dataDir, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes('sandbox-provider'),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    for (const secret of secrets) expect([name, bytes.includes(secret)]).toEqual([name, false]);
  }
  for (const secret of secrets) expect(stack.output().includes(secret)).toBe(false);
});

it('passes the audit afterwards', async () => {
  await expect(expectAuditToPass(stack.dataDir)).resolves.toBeUndefined();
});
