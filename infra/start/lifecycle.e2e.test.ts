import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  launchStack,
  stackEnvironment,
  startTestStack,
  useStack,
  waitGone,
  type TestStack,
} from '#infra/verify/harness/test-stack.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { identify } from '../process/pids.ts';

const makeMerchant = async ({ urls, adminToken }: TestStack, name: string) => {
  const response = await fetch(`${urls.admin}/admin/v1/merchants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return response.status;
};

describe('a stack', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack();
  });
  afterAll(async () => void (await stack.stop()));

  it('is refused a second time on the same DATA_DIR, in one line', async () => {
    const second = launchStack(await stackEnvironment(stack.dataDir));
    expect((await second.exited).code).toBe(1);
    expect(second.output()).toBe(
      `A gateway already runs on ${stack.dataDir} (pid ${stack.pid}): stop it, or set another DATA_DIR`,
    );
    await second.stop();
  });

  it('names the variable of a port that is in use', async () => {
    const folder = makeTempFolder();
    const environment = await stackEnvironment(folder);
    const port = stack.env['ADMIN_PORT'] ?? '';
    const second = launchStack({ ...environment, ADMIN_PORT: port });
    expect((await second.exited).code).toBe(1);
    expect(second.output()).toBe(`Port ${port} is in use: set ADMIN_PORT to another`);
    await second.stop();
    removeFolder(folder);
  });

  it('gets ready again when any of its processes is killed', async () => {
    for (const [name, pid] of Object.entries(stack.pids())) {
      stack.kill(name);
      await stack.waitReady([pid]);
    }
    expect(await makeMerchant(stack, 'After all that')).toBe(201);
  });

  it('runs beside another, with different ports and DATA_DIR', async () => {
    const other = await useStack();
    expect(await makeMerchant(other, 'Beside')).toBe(201);
    expect(await makeMerchant(stack, 'Still there')).toBe(201);
    const internal = (name: string) => [stack.env[name], other.env[name]];
    for (const name of ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL', 'PROCESSOR_PORT']) {
      expect(new Set(internal(name)).size).toBe(2);
    }
  });

  it('ends with all of its processes on SIGTERM, with exit code 0', async () => {
    const pids = Object.values(stack.pids());
    expect(pids.length).toBeGreaterThan(5);
    expect(await stack.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    await waitGone(pids, 1000);
    expect(existsSync(join(stack.dataDir, 'stack.json'))).toBe(false);
  });
});

describe('a stack whose supervisor is killed', () => {
  it('leaves no process, and starts again at once with what it had', async () => {
    const dataDir = makeTempFolder();
    const first = await useStack({ dataDir });
    expect(await makeMerchant(first, 'Kept')).toBe(201);
    const pids = Object.values(first.pids());
    process.kill(first.pid, 'SIGKILL');

    const second = await useStack({ dataDir });
    // Nothing of the first may run beside the second.
    expect(pids.filter((pid) => identify(pid) !== undefined)).toEqual([]);
    expect(second.adminToken).toBe(first.adminToken);
    for (const name of ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL', 'PROCESSOR_PORT']) {
      expect(second.env[name]).toBe(first.env[name]);
    }
    expect(await makeMerchant(second, 'New')).toBe(201);
    await second.stop();
    removeFolder(dataDir);
  });
});
