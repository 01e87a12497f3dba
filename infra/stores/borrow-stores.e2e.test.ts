import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { useStack } from '#infra/verify/harness/test-stack.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { borrowStores } from './borrow-stores.ts';

async function countDatabases(databaseUrl: string): Promise<number | null> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query('select 1 from pg_database')).rowCount;
  } finally {
    await client.end();
  }
}

describe('a tool', () => {
  it('gets the stores of a stack beside it, and of one that is stopped', async () => {
    const dataDir = makeTempFolder();
    await expect(borrowStores(dataDir, {})).rejects.toThrow(
      /no data of an embedded event store is there/,
    );
    expect(readdirSync(dataDir)).toEqual([]);

    const stack = await useStack({ dataDir });
    const beside = await borrowStores(dataDir, {});
    expect(beside.databaseUrl).toBe(stack.env['DATABASE_URL']);
    expect(beside.eventStoreUrl).toBe(stack.env['EVENT_STORE_URL']);
    await beside.release();
    await stack.stop();

    const alone = await borrowStores(dataDir, {});
    expect(await countDatabases(alone.databaseUrl ?? '')).toBeGreaterThan(2);
    await alone.release();
    await expect(countDatabases(alone.databaseUrl ?? '')).rejects.toThrow(/ECONNREFUSED/);
    removeFolder(dataDir);
  });
});
