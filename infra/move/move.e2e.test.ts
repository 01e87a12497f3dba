import { sql } from 'kysely';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  commandSandbox,
  request,
  setUpMerchant,
  type TestMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import {
  startNodeProcess,
  startStoreProcess,
  type StoreProcess,
} from '#infra/verify/harness/stores/event-store-process.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { startTestStack, type TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { runAuditProcess } from '#services/audit/testing/run-audit.ts';
import { savedCheckpoints } from '#shared/application/log/saved-checkpoints.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import { translateCheckpoints } from './checkpoints.ts';
import { finish } from './finish.ts';
import { startCopying } from './move.ts';
import { usePlainLog } from './testing/plain.ts';
import { runMove } from './testing/run-move.ts';

const [dataDir, there, back] = [makeTempFolder(), makeTempFolder(), makeTempFolder()];
const execute = promisify(execFile);
/** To a node, from it to a store of the kind that the stack began with, and back to the node. */
const targets: StoreProcess[] = [];
let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  targets.push(await startNodeProcess({ directory: there }));
  targets.push(await startStoreProcess({ directory: back }));
  stack = await startTestStack({ dataDir });
  merchant = await setUpMerchant(stack);
});
afterAll(async () => {
  await merchant?.close();
  await stack?.stop();
  for (const target of targets) await target.stop('SIGTERM');
  for (const folder of [dataDir, there, back]) removeFolder(folder);
});

const call = (path: string, method = 'GET', body?: object) =>
  request(`${stack.urls.gateway}${path}`, method, body, { 'x-api-key': merchant.apiKey });
const pay = (id: string) =>
  call('/v1/payment', 'POST', {
    merchant_operation_id: id,
    client_id: 'client-1',
    method: 'WT_RUB_C2C',
    amount: '100.00',
    currency: 'RUB',
  });
const rebuild = () =>
  execute(process.execPath, ['projections/cli.ts', 'rebuild'], {
    env: { ...process.env, DATA_DIR: dataDir },
  });
const settle = (id: string) => commandSandbox(stack.urls.sandbox, id);
const state = async (id: string) =>
  (await call('/v1/get_operation_state', 'POST', { operation_id: id })).body as {
    receipts: object[];
  };
/** The operations of a page of the list with their creation times. */
const listed = async (query: string) =>
  (
    (await call(`/v1/operations${query}`)).body.operations as {
      operation_id: string;
      created_at: string;
    }[]
  ).map(({ operation_id: id, created_at: at }) => `${id} ${at}`);
/** Without URLs, which have the ports of this start. */
const states = async (ids: readonly string[]) =>
  JSON.stringify(await Promise.all(ids.map(state))).replaceAll(/"https?:[^"]*"/g, '""');
const completed = (id: string) =>
  merchant.waitForDelivery(
    ({ type, operationId }) => type === 'payment.completed' && operationId === id,
  );

it('moves and resets every saved position outside of the read models (R17.12, R17.14)', async () => {
  const db = connectDatabase<unknown>(stack.env['DATABASE_URL'] ?? '', { applicationName: 'test' });
  const { rows } = await sql<{ name: string }>`
    select distinct table_schema || '.' || table_name as name
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_type = 'BASE TABLE' and column_name like '%position%'
      and table_schema not in ('gateway', 'pg_catalog', 'information_schema')`.execute(db);
  await db.destroy();
  const tables = Object.values(savedCheckpoints).map(({ table }) => table);
  expect(rows.map(({ name }) => name).toSorted()).toEqual(tables.toSorted());
});

it('moves a running gateway: same responses, no lost or duplicate webhook (R17.14)', async () => {
  const ids: string[] = [];
  for (let each = 0; each < 5; each += 1)
    ids.push((await pay(`before-${each}`)).body.operation_id as string);
  const open = ids.pop() ?? '';
  for (const id of ids) await settle(id);
  for (const id of ids) await completed(id);
  const isProjected = async () =>
    (await Promise.all(ids.map(state))).every((each) => each.receipts.length === 1) &&
    (await listed('?limit=100')).length === 5;
  await eventually('all have receipts and are listed', isProjected);
  const before = await states(ids);
  const cursor = (await call('/v1/operations?limit=2')).body.next_cursor as string;
  const rest = await listed(`?cursor=${cursor}`);
  expect(rest).toHaveLength(3);

  const target = targets[0] as StoreProcess;
  const moved = await runMove({ DATA_DIR: dataDir }, '--to', target.url, '--finish');
  expect(moved.output).toContain(`EVENT_STORE_URL=${target.url}`);
  // The node takes the positions of the log.
  expect(moved.output).not.toContain('rebuild');
  expect(moved.code).toBe(0);
  expect(await pay('closed')).toMatchObject({ status: 503, body: { code: 'not_ready' } });
  expect(await state(open)).toMatchObject({ status: 'pending' });
  expect(stack.output()).toContain('the log is closed, because it moves to another store');
  await stack.stop();

  stack = await startTestStack({ dataDir, env: { EVENT_STORE_URL: target.url } });
  expect(await states(ids)).toBe(before);
  expect(await listed(`?cursor=${cursor}`)).toEqual(rest);
  await settle(open);
  await completed(open);
  await expectSound('closed');
});

it('moves to a store with different positions (R17.14)', async () => {
  const open = (await pay('open')).body.operation_id as string;
  const target = targets[1] as StoreProcess;
  const url = stack.env['EVENT_STORE_URL'] ?? '';
  const signer = loadSigningKey('move', stack.env);
  const plain = async (at: string) => {
    const log = await usePlainLog(at);
    return { ...log, store: signAppends(log.store, signer) };
  };
  const logs = { source: await plain(url), target: await plain(target.url) };
  const { signal } = new AbortController();
  const copying = startCopying(logs, { signal });
  await copying.catchUp();
  await finish(logs, copying, { from: 'here', to: 'there', signal });
  await copying.close();
  expect(await translateCheckpoints(stack.env['DATABASE_URL'] ?? '', logs)).toBe(0);
  await stack.stop();

  stack = await startTestStack({ dataDir, env: { EVENT_STORE_URL: target.url } });
  await settle(open);
  await completed(open);
  await rebuild();
  await expectSound('elsewhere');
});

it('moves back to the store that the log came from, and reports that a rebuild is due (R17.14)', async () => {
  const target = targets[0] as StoreProcess;
  const moved = await runMove({ DATA_DIR: dataDir }, '--to', target.url, '--finish');
  expect(moved.output).toContain('npm run projections -- rebuild');
  expect(moved.code).toBe(0);
  // A repeat compares both stores again.
  const again = await runMove({ DATA_DIR: dataDir }, '--to', target.url, '--finish');
  expect(again).toMatchObject({
    code: 0,
    output: expect.stringContaining('npm run projections -- rebuild'),
  });
  await stack.stop();

  // Read models whose position lies beyond the log do not start before they are rebuilt.
  const starting = startTestStack({ dataDir, env: { EVENT_STORE_URL: target.url } });
  const isRebuilt = () =>
    rebuild().then(
      () => true,
      () => false,
    );
  await eventually('the read models are rebuilt', isRebuilt);
  stack = await starting;
  await expectSound('back');
});

/** A payment completes, no webhook is sent twice, and the audit passes. */
async function expectSound(merchantOperationId: string): Promise<void> {
  const next = (await pay(merchantOperationId)).body.operation_id as string;
  await settle(next);
  await completed(next);
  const sent = merchant.deliveries.map(({ id }) => id);
  expect(new Set(sent).size).toBe(sent.length);
  const audit = await runAuditProcess([], { DATA_DIR: dataDir });
  expect(audit).toMatchObject({ code: 0 });
  expect(stack.output()).not.toContain('can not be followed');
}
