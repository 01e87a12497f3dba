import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { folderForFile, useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { borrowStores } from '../stores/borrow-stores.ts';
import { readStackFile } from '../stores/stack-file.ts';
import { identify } from '../process/pids.ts';
import { natsServerVersion, whyTooOld } from '../nats/version.ts';
import {
  launchStack,
  stackEnvironment,
  stackForFile,
  useStack,
  waitUntilGone,
  type TestStack,
} from '#infra/verify/harness/stacks/test-stack.ts';

const makeMerchant = async ({ urls, adminToken }: TestStack, name: string) => {
  const response = await fetch(`${urls.admin}/admin/v1/merchants`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return response.status;
};

async function countDatabases(databaseUrl: string): Promise<number | null> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query('select 1 from pg_database')).rowCount;
  } finally {
    await client.end();
  }
}

it('provides no stores to a tool if no stack has ever run', async () => {
  const empty = useTempFolder();
  await expect(borrowStores(empty, {})).rejects.toThrow(
    /no data of an embedded event store is there/,
  );
  expect(readdirSync(empty)).toEqual([]);
});

describe('a stack', () => {
  // Accessible only by root.
  const folder = folderForFile();
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const stack = stackForFile({ dataDir });

  it('fails with one line if started twice on the same DATA_DIR (R19.3)', async () => {
    const second = launchStack(await stackEnvironment(dataDir));
    expect((await second.exited).code).toBe(1);
    expect(second.output()).toBe(
      `A gateway already runs on ${dataDir} (pid ${stack.pid}): stop it, or set another DATA_DIR`,
    );
    await second.stop();
  });

  it('names the variable of a port that is in use', async () => {
    const environment = await stackEnvironment(useTempFolder());
    const port = stack.env['ADMIN_PORT'] ?? '';
    const second = launchStack({ ...environment, ADMIN_PORT: port });
    expect((await second.exited).code).toBe(1);
    expect(second.output()).toBe(`Port ${port} is in use: set ADMIN_PORT to another`);
    await second.stop();
  });

  it('names an address that is not of this machine once, and not the ports (R19.1)', async () => {
    const environment = await stackEnvironment(useTempFolder());
    const second = launchStack({ ...environment, LISTEN_HOST: '192.0.2.1' });
    expect((await second.exited).code).toBe(1);
    expect(second.output()).toBe(
      "LISTEN_HOST: this machine can't listen on 192.0.2.1 (EADDRNOTAVAIL)",
    );
    await second.stop();
  });

  it('warns of a nats-server that is too old for production', () => {
    const version = natsServerVersion();
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    const note = `nats-server ${version} is for trying things out`;
    expect(stack.output().includes(note)).toBe(whyTooOld(version) !== undefined);
  });

  it.runIf(process.getuid?.() === 0)(
    'stores its data below a folder that only root can enter',
    () => {
      expect(statSync(folder)).toMatchObject({ uid: 0 });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0);
    },
  );

  it('runs alongside another with different ports and DATA_DIR (R19.3)', async () => {
    const other = await useStack({ npm: true });
    expect(await makeMerchant(other, 'Beside')).toBe(201);
    expect(await makeMerchant(stack, 'Still there')).toBe(201);
    const internal = (name: string) => [stack.env[name], other.env[name]];
    for (const name of ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL', 'PROCESSOR_PORT']) {
      expect(new Set(internal(name)).size).toBe(2);
    }

    // If its npm dies, no Ctrl-C can reach it any more, so it stops by itself.
    const supervisor = readStackFile(other.dataDir)?.supervisor.pid ?? 0;
    const pids = [supervisor, ...Object.values(other.pids())];
    process.kill(other.pid, 'SIGKILL');
    await waitUntilGone(pids);
  });

  it('provides its running stores to a tool', async () => {
    const stores = await borrowStores(dataDir, {});
    expect(stores.databaseUrl).toBe(stack.env['DATABASE_URL']);
    expect(stores.eventStoreUrl).toBe(stack.env['EVENT_STORE_URL']);
    await stores.release();
  });

  it('stops all of its processes on SIGTERM, with exit code 0', async () => {
    const names = ['gateway', 'nats', 'postgres', 'projections', 'sandbox-provider'];
    expect(Object.keys(stack.pids()).toSorted()).toEqual(names);
    const pids = Object.values(stack.pids());
    expect(await stack.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(pids.filter((pid) => identify(pid) !== undefined)).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
  });

  it('starts its stores for a tool if it is stopped, and stops them afterwards', async () => {
    const stores = await borrowStores(dataDir, {});
    expect(await countDatabases(stores.databaseUrl ?? '')).toBeGreaterThan(2);
    await stores.release();
    await expect(countDatabases(stores.databaseUrl ?? '')).rejects.toThrow(/ECONNREFUSED/);
  });
});
