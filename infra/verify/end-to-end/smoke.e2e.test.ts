import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { identify } from '#infra/process/pids.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { askAdmin, commandSandbox } from '#infra/verify/harness/shops/merchant.ts';
import {
  startTestStack,
  waitUntilGone,
  type TestStack,
} from '#infra/verify/harness/stacks/test-stack.ts';
import { bannerCommand, bannerValue, typeLine } from '#infra/verify/harness/processes/terminal.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';

// The first steps of a new user, and what no crash may lose: one stack, started with `npm start`.

type Json = Record<string, unknown>;

const dataDir = folderForFile();
const start = () => startTestStack({ dataDir, env: { DEMO: '1' }, npm: true });
let stack: TestStack;
beforeAll(async () => {
  stack = await start();
});
afterAll(() => stack?.stop());

/** Pastes a curl command of the banner into a shell, with another order and amount if given. */
const paste = async (path: string, order?: string, amount?: string) => {
  const line = bannerCommand(stack, path);
  const withOrder = order === undefined ? line : line.replace(/order-\w+/, order);
  const typed = amount === undefined ? withOrder : withOrder.replace('"100.00"', `"${amount}"`);
  return JSON.parse(await typeLine(stack, typed)) as Json;
};

/** A payment of this amount does not complete by itself, unlike that of the banner. */
const waitingAmount = '1040.00';

const npmRun = (script: string) => typeLine({ dataDir }, `npm run -s ${script}`);

/** Presses the button of the page that a link leads to. */
async function signIn(link: URL): Promise<number> {
  const page = await fetch(link);
  expect(await page.text()).toContain(link.searchParams.get('link'));
  const body = new URLSearchParams({ link: link.searchParams.get('link') ?? '' });
  const headers = { 'sec-fetch-site': 'same-origin' };
  return (
    await fetch(link.origin + link.pathname, { method: 'POST', body, headers, redirect: 'manual' })
  ).status;
}

/** The demo shop's receiver has verified and printed the webhook of a completed payment. */
async function webhookPrinted(id: string, amount = '100.00'): Promise<void> {
  const printed = new RegExp(`payment\\.completed .*${id}.*${amount}.*signature valid`);
  await eventually('the webhook is printed', () => printed.test(stack.output()));
}

describe('npm start', () => {
  it('creates a demo shop whose payment completes with a signed webhook (R19.6)', async () => {
    expect(stack.output()).toMatch(
      /Starting the event store, PostgreSQL, NATS.* with new databases/,
    );
    const created = await paste('/v1/payment');
    expect(created).toMatchObject({ status: 'pending' });
    const page = await fetch(String(created['payment_url']));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('100.00')]);
    await webhookPrinted(String(created['operation_id']));
    expect(await paste('/v1/get_operation_state')).toMatchObject({ status: 'completed' });
    expect(bannerValue(stack, 'Admin token')).toBe(stack.adminToken);
  });

  it('completes a pending payment after kill -9 of every process (R19.4)', async () => {
    const created = await paste('/v1/payment', 'order-pending', waitingAmount);
    expect(created).toMatchObject({ status: 'pending' });
    const pids = stack.pids();
    for (const name of Object.keys(pids)) stack.kill(name, 'SIGKILL');
    await stack.waitReady(Object.values(pids));
    const state = () => paste('/v1/get_operation_state', 'order-pending');
    expect(await state()).toMatchObject({ status: 'pending' });
    const id = String(created['operation_id']);
    const settled = await commandSandbox(stack.urls.sandbox, id);
    expect(settled.status).toBe(200);
    await webhookPrinted(id, waitingAmount);
    expect(await state()).toMatchObject({ status: 'completed' });
  });

  it('leaves no process after kill -9 of the supervisor, and restarts with all state (R19.4)', async () => {
    const before = stack;
    const shop = `/shops/${bannerValue(before, 'Demo shop')}/webhook`;
    await askAdmin(stack, 'PUT', shop, { url: 'http://127.0.0.1:9/own' });
    const state = await paste('/v1/get_operation_state', 'order-pending');
    const pids = Object.values(before.pids());
    process.kill(readStackFile(dataDir)?.supervisor.pid ?? 0, 'SIGKILL');

    stack = await start();
    // Two generations of processes on the same data would corrupt it.
    expect(pids.filter((pid) => identify(pid) !== undefined)).toEqual([]);
    expect(stack.adminToken).toBe(before.adminToken);
    expect(stack.output()).not.toContain(stack.adminToken);
    for (const name of ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL', 'PROCESSOR_PORT'])
      expect(stack.env[name]).toBe(before.env[name]);
    const key = bannerValue(stack, 'Demo shop key');
    expect(key).toBe(bannerValue(before, 'Demo shop key'));
    expect((await askAdmin(stack, 'GET', shop)).body).toMatchObject({
      url: 'http://127.0.0.1:9/own',
    });
    // Links to receipts are new in each response.
    const { receipts: _, ...stateWithoutReceipts } = state;
    expect(await paste('/v1/get_operation_state', 'order-pending')).toMatchObject(
      stateWithoutReceipts,
    );
    expect(await paste('/v1/payment')).toMatchObject({ status: 'pending' });
    const reference = await fetch(`${stack.urls.gateway}/docs/reference`);
    expect(await reference.text()).toContain(`data-demo-key="${key}"`);
    expect(await npmRun('demo')).toContain(`export API_KEY='${key}'`);
  });

  it('prints a sign-in link that works once, as npm run sign-in does', async () => {
    const link = new URL(bannerValue(stack, 'Sign in, once'));
    expect(await signIn(link)).toBe(303);
    expect(await signIn(link)).toBe(401);
    expect(await signIn(new URL((await npmRun('sign-in')).trim()))).toBe(303);
  });

  it('stops all processes on SIGTERM, with exit code 0', async () => {
    const pids = Object.values(stack.pids());
    expect((await stack.stop('SIGTERM')).code).toBe(0);
    await waitUntilGone(pids);
  });
});
