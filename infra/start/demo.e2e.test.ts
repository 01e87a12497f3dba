import { describe, expect, it } from 'vitest';
import { waitUntil } from '../process/wait-until.ts';
import { useStack, waitGone, type TestStack } from '#infra/verify/harness/test-stack.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { offeredBy, printedBy, typeLine } from '#infra/verify/harness/terminal.ts';
import { readStackFile } from '#infra/stores/stack-file.ts';

/** Pastes what the banner offers into a shell. */
const paste = async (stack: TestStack, path: string) =>
  JSON.parse(await typeLine(stack, offeredBy(stack, path))) as Record<string, unknown>;

async function admin({ urls, adminToken }: TestStack, method: string, path: string, body?: object) {
  const response = await fetch(`${urls.admin}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as object;
}

const npmRun = (script: string, dataDir: string) => typeLine({ dataDir }, `npm run -s ${script}`);

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

describe('npm start', () => {
  it('has a demo shop whose payment completes and is told by a signed webhook, once made for good', async () => {
    const dataDir = makeTempFolder();
    const first = await useStack({ dataDir, env: { DEMO: '1' }, npm: true });
    expect(first.output()).toMatch(
      /Starting the event store, PostgreSQL, NATS.* with new databases/,
    );
    const created = await paste(first, '/v1/payment');
    expect(created).toMatchObject({ status: 'pending' });
    const page = await fetch(String(created['payment_url']));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('100.00')]);
    const id = String(created['operation_id']);
    const told = () =>
      first.output().includes(`webhook payment.completed`) && first.output().includes(id);
    await waitUntil('the webhook is printed', told, { timeoutMs: 30_000 });
    expect(first.output()).toMatch(
      new RegExp(`payment\\.completed .*${id}.*100\\.00.*signature valid`),
    );
    expect(await paste(first, '/v1/get_operation_state')).toMatchObject({ status: 'completed' });
    expect(printedBy(first, 'Admin token')).toBe(first.adminToken);
    const key = printedBy(first, 'Demo shop key');
    const shop = `/shops/${printedBy(first, 'Demo shop')}/webhook`;
    await admin(first, 'PUT', shop, { url: 'http://127.0.0.1:9/own' });
    expect((await first.stop('SIGTERM')).code).toBe(0);
    await waitGone(Object.values(readStackFile(dataDir)?.processes ?? {}));

    const second = await useStack({ dataDir, env: { DEMO: '1' }, npm: true });
    expect(printedBy(second, 'Demo shop key')).toBe(key);
    expect(await admin(second, 'GET', shop)).toMatchObject({ url: 'http://127.0.0.1:9/own' });
    expect(second.output()).not.toContain(second.adminToken);
    const link = new URL(printedBy(second, 'Sign in, once'));
    expect(await signIn(link)).toBe(303);
    expect(await signIn(link)).toBe(401);
    const another = await npmRun('sign-in', dataDir);
    expect(await signIn(new URL(another.trim()))).toBe(303);
    expect(await npmRun('demo', dataDir)).toContain(`export API_KEY='${key}'`);
    expect(await paste(second, '/v1/payment')).toMatchObject({ status: 'pending' });
    // Forms of the documentation are sent with it.
    const reference = await fetch(`${second.urls.gateway}/docs/reference`);
    expect(await reference.text()).toContain(`data-demo-key="${key}"`);

    // Nobody is left who could stop it: it stops by itself.
    const { supervisor, processes } = readStackFile(dataDir) ?? {
      supervisor: { pid: 0 },
      processes: {},
    };
    process.kill(second.pid, 'SIGKILL');
    await waitGone([supervisor.pid, ...Object.values(processes)], 30_000);
    removeFolder(dataDir);
  });
});
