import { sql, type Kysely } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseForFile } from '#infra/verify/harness/stores/database.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { DueRow } from './due-queue.ts';
import type { DueStore, StoredDueWork, LeadSession } from './due-store.ts';
import { createDueStore } from './postgres/due-store.ts';
import type { ProcessorDatabase } from './postgres/tables.ts';

const database = databaseForFile();
let db: Kysely<ProcessorDatabase>;
let store: DueStore;
let other: DueStore;

beforeAll(async () => {
  db = connectDatabase<ProcessorDatabase>(database.url, { applicationName: 'due-store-test' });
  store = createDueStore(db);
  other = createDueStore(db);
});
afterAll(() => db.destroy());

const row = (stream: string, change: Partial<DueRow> = {}): DueRow => ({
  stream,
  dueMs: 1_700_000_000_123,
  lastActivityMs: 1_700_000_000_001,
  revision: 3,
  pollsWithoutChange: 1,
  tries: 2,
  done: ['credit a'],
  ...change,
});

const event = { stream: 'operation-a', revision: 3, id: 'the-event', position: 7n };

async function leading<T>(
  by: DueStore,
  work: (session: LeadSession) => Promise<T>,
): Promise<T | undefined> {
  let result: T | undefined;
  await by.whileLeading(async (session) => {
    result = await work(session);
  });
  return result;
}
const load = (): Promise<StoredDueWork | undefined> => leading(store, (session) => session.load());

test('a leader loads what the previous one saved, and only one leads at a time', async () => {
  expect(await load()).toEqual({ checkpoint: undefined, rows: [] });
  const rows = [row('operation-a'), row('late-b', { error: 'no answer', done: [] })];
  await leading(store, async (session) => {
    await session.save({
      from: undefined,
      to: { position: 7n, event },
      changed: rows,
      removed: [],
    });
    expect(await leading(other, async () => 'led')).toBeUndefined();
  });
  expect(await load()).toEqual({ checkpoint: { position: 7n, event }, rows });
  const changed = [row('operation-a', { dueMs: 1_800_000_000_000, revision: 4 })];
  await leading(other, (session) =>
    session.save({ from: 7n, to: { position: 9n }, changed, removed: ['late-b'] }),
  );
  expect(await load()).toEqual({ checkpoint: { position: 9n }, rows: changed });
});

test('a row that PostgreSQL cannot store does not block the others', async () => {
  const { checkpoint } = (await load()) ?? {};
  const unstorable = row('operation-unstorable', {
    dueMs: Date.parse('0000-01-01T00:00:00Z'),
    error: 'a\0b\ud800',
  });
  await leading(store, (session) =>
    session.save({
      from: checkpoint?.position,
      to: { position: 10n },
      changed: [unstorable, row('operation-plain')],
      removed: [],
    }),
  );
  const { rows = [] } = (await load()) ?? {};
  expect(rows.find(({ stream }) => stream === 'operation-unstorable')).toMatchObject({
    dueMs: 0,
    error: 'a\uFFFDb\uFFFD',
  });
  expect(rows).toContainEqual(row('operation-plain'));
});

test('a leader loses the lead when its connection ends', async () => {
  await leading(store, async (session) => {
    await sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      db,
    );
    const work = { from: 10n, to: { position: 13n }, changed: [], removed: [] };
    await expect(session.save(work)).rejects.toThrow(/terminat|not queryable/i);
    expect(session.lost.aborted).toBe(true);
  });
  expect((await load())?.checkpoint?.position).toBe(10n);
});

test('a leader saves nothing and loses the lead if another one has moved the saved position', async () => {
  const before = await load();
  await leading(store, async (session) => {
    const keeping = session.save({
      from: 8n,
      to: { position: 11n },
      changed: [row('operation-c')],
      removed: ['operation-a'],
    });
    await expect(keeping).rejects.toThrow('another leader');
    expect(session.lost.aborted).toBe(true);
  });
  expect(await load()).toEqual(before);
});
