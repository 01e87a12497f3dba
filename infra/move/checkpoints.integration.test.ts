import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useDb } from '#projections/testing/stores.ts';
import { processorMigrations } from '#services/processor/due/postgres/tables.ts';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import { migrate } from '#shared/platform/database/migrate.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { translateCheckpoints } from './checkpoints.ts';
import type { Logs } from './logs.ts';

const stream = 'operation-1';
const identity = (revision: number, position: number) => ({
  stream,
  revision,
  id: `event-${revision}`,
  position: String(position),
});

/** Two logs with one stream: positions are ten and a thousand times the revision. */
function logsWith(onRead: (revision: number) => Promise<void>): Logs {
  const store = {
    read: async (_stream: string, { fromRevision = 0 }) => {
      await onRead(fromRevision);
      const event = { ...identity(fromRevision, 0), position: BigInt(fromRevision * 1_000) };
      return [event as unknown as StoredEvent];
    },
  };
  return { source: {}, target: { store } } as unknown as Logs;
}

it('translates a checkpoint that a follower saves at the same time (R17.14)', async () => {
  const { db, url } = await useDb();
  await migrate(db, processorMigrations);
  const save = async (revision: number) => {
    const event = JSON.stringify(identity(revision, revision * 10));
    await sql`insert into processor.feed (name, position, event)
      values ('operations', ${revision * 10}, ${event}::jsonb)
      on conflict (name) do update set position = excluded.position, event = excluded.event`.execute(
      db,
    );
  };
  const saved = async () =>
    (
      await sql<{
        position: string;
        event: object;
      }>`select position, event from processor.feed`.execute(db)
    ).rows;
  await save(1);
  let translations = 0;
  const logs = logsWith(async () => {
    translations += 1;
    // The follower saves a newer checkpoint during the first three translations.
    if (translations <= 3) await save(1 + translations);
  });
  expect(await translateCheckpoints(url, logs)).toBe(0);
  expect(await saved()).toEqual([{ position: '4000', event: identity(4, 4_000) }]);
});

it('clears the position that only earlier versions of the relay use', async () => {
  const { db, url } = await useDb();
  await migrateWebhooks(db);
  await sql`insert into webhooks.relay
    (name, position, stream_created, stream_sequence, generation, ingested_position)
    values ('relay', 0, '', 0, 0, 7)`.execute(db);
  expect(
    await translateCheckpoints(
      url,
      logsWith(async () => undefined),
    ),
  ).toBe(0);
  const { rows } = await sql`select ingested_position from webhooks.relay`.execute(db);
  expect(rows).toEqual([{ ingested_position: null }]);
});

it('leaves positions that the version before of admin saved without their event (R17.14)', async () => {
  const { db, url } = await useDb();
  await sql`create schema admin`.execute(db);
  await sql`create table admin.mark (prefix text primary key, position numeric not null, newest jsonb)`.execute(
    db,
  );
  await sql`insert into admin.mark (prefix, position) values ('operation-', 20)`.execute(db);
  const translating = translateCheckpoints(
    url,
    logsWith(async () => undefined),
  );
  expect(await translating).toBe(0);
});
