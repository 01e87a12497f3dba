import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { sql } from 'kysely';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { areLive } from '#projections/testing/stores.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { readModels } from '../registry.ts';
import { sampleId as id, writeSampleLog } from '../testing/sample-log.ts';
import { useDb, useOwnEventStore, useProjections } from '../testing/stores.ts';
import { views } from '../views/registry.ts';
import { analystUrl, shellRole } from '../psql/login.ts';
import { Client } from 'pg';
import { unscaled } from './columns.ts';
import { exportParquet } from './export.ts';
import { exported } from './relations.ts';

describe('exports of the read models', () => {
  const own = useOwnEventStore();
  let written: Promise<unknown> | undefined;

  async function useTables() {
    await (written ??= writeSampleLog(own.store));
    const { db, url } = await useDb();
    const projections = useProjections({ db, store: own.store });
    await eventually('the tables have the whole log', () => areLive(projections));
    await projections.stop();
    const folder = useTempFolder();
    return { db, url, folder };
  }

  const rowsIn = async (folder: string, relation: string) =>
    parquetReadObjects({ file: await asyncBufferFromFile(join(folder, `${relation}.parquet`)) });

  it('contain every table as typed Parquet files, also with several row groups', async () => {
    const { db, url, folder } = await useTables();
    await sql`insert into gateway.legs select ${id(1)}::uuid, 'leg ' || n, 1, 'sandbox', 'RUB', n * 0.01 + 0.1, now(),
      false, false, now(), n from generate_series(1, 25000) n`.execute(db);
    const files = await exportParquet({ url, folder, zone: 'UTC' });
    expect(files.map(({ relation }) => `${relation}.parquet`).toSorted()).toEqual(
      readdirSync(folder),
    );
    expect(files.find(({ relation }) => relation === 'legs')?.rows).toBe(25_002);
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));

    const file = await asyncBufferFromFile(join(folder, 'legs.parquet'));
    const { row_groups, schema } = await parquetMetadataAsync(file);
    expect(row_groups.length).toBe(3);
    const kinds = Object.fromEntries(schema.map(({ name, logical_type }) => [name, logical_type]));
    expect(kinds).toMatchObject({
      operation_id: { type: 'UUID' },
      amount: { type: 'DECIMAL', precision: 38, scale: 2 },
      completed_at: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    });
    const [first] = await rowsIn(folder, 'operations');
    expect(first).toMatchObject({
      operation_id: id(1),
      status: 'completed',
      actual_amount: 100,
      fx_rate: null,
    });
    const { rows } = await sql<{ at: Date }>`
      select created_at as at from gateway.operations where operation_id = ${id(1)}`.execute(db);
    expect(first?.['created_at']).toEqual(rows[0]?.at);
  });

  it('contain the operations of a day in the reader’s time zone', async () => {
    const { db, url, folder } = await useTables();
    await sql`update gateway.operations set created_at =
      case when operation_id = ${id(1)} then timestamptz '2026-01-10 21:30Z' else '2026-02-10 12:00Z' end`.execute(
      db,
    );
    const count = async (day: string, zone: string) =>
      (await exportParquet({ url, folder, day, zone, relations: ['operations'] }))[0]?.rows;
    expect(await count('2026-01-10', 'UTC')).toBe(1);
    expect(await count('2026-01-11', 'UTC')).toBe(0);
    expect(await count('2026-01-10', 'Europe/Moscow')).toBe(0);
    expect(await count('2026-01-11', 'Europe/Moscow')).toBe(1);
  });

  it('cover every table', () => {
    const tables = readModels.flatMap((model) => model.tables.map(({ name }) => name));
    const relations = [...tables, ...views.map(({ name }) => name)];
    expect(tables.filter((name) => !Object.hasOwn(exported, name))).toEqual([]);
    expect(Object.keys(exported).filter((name) => !relations.includes(name))).toEqual([]);
  });

  it('preserve every digit of an amount, and reject a loss of digits', () => {
    expect(unscaled('-999999999999999999999999999999999999.99', 2)).toBe(-(10n ** 38n - 1n));
    expect(unscaled('-0.05', 2)).toBe(-5n);
    expect(unscaled('7', 2)).toBe(700n);
    expect(() => unscaled('0.001', 2)).toThrow('more than 2 decimals');
  });

  it('allow a shell with a role that can only read the read models', async () => {
    const { url } = await useTables();
    const [address, again] = [await analystUrl(url), await analystUrl(url)];
    expect(address).toBe(again);
    const client = new Client({ connectionString: address });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query(
      'select session_user::text as me, count(*) from gateway.operations',
    );
    expect(rows).toEqual([{ me: shellRole, count: '5' }]);
    for (const text of [
      'delete from gateway.operations',
      'select * from webhooks.message',
      'set role gateway',
      'create table gateway.mine (a int)',
    ]) {
      await expect(client.query(text)).rejects.toThrow(/permission denied/);
    }
    await expect(analystUrl('postgres://gateway@127.0.0.1:1/gateway')).rejects.toThrow(
      'no password',
    );
  });
});
