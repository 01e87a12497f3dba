import { sql, type Kysely } from 'kysely';
import { connect } from 'nats';
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { startLogFollowers } from './log-followers.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { readDayUse } from '#projections/operations/day-use.ts';
import { followerNames, resetFollower } from '#projections/rebuild/followers.ts';
import { appendHistories } from '#projections/testing/append.ts';
import { useOwnEventStore } from '#projections/testing/stores.ts';
import {
  createSweepCheckpoints,
  migrateSweepCheckpoints,
  type SweepCheckpointsDatabase,
} from '#services/back-office/api/sweep-checkpoints.ts';
import { createDayUse } from '#services/merchant-api/day-use/day-use.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import { logStreams } from '#shared/domain/log/streams.ts';
import { readCheckpointAt } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import { useDatabase } from './database.ts';

const own = useOwnEventStore();

/** The followers of the log that continue from a checkpoint in PostgreSQL. */
function startFollowers(databaseUrl: string, names: { stream: string; subject: string }) {
  const { store } = own;
  const parts = ['relay', 'reconcile'] as const;
  const followers = startLogFollowers({ store, databaseUrl, logger, names, parts });
  const read = (shopId: string, day: string) => readDayUse(followers.db, { shopId, day });
  const dayUse = createDayUse({ store, read, logger });
  void dayUse.of('shop-1');
  return {
    /** The reason why each is not ready. */
    notReady: (): Record<string, string | undefined> => ({
      ...followers.notReady(),
      'merchant-api.daily-limits': dayUse.notReady(),
    }),
    stop: async () => {
      await dayUse.stop();
      await followers.stop();
    },
  };
}

type Saved = { name: string; position: string; id: string | null };

const tables = [
  { table: 'projections.status', column: 'position_event', where: sql`name = 'operations'` },
  { table: 'webhooks.relay', column: 'position_event', where: sql`true` },
  { table: 'webhooks.reconciliation', column: 'position_event', where: sql`true` },
  { table: 'processor.feed', column: 'event', where: sql`true` },
] as const;

async function saved(db: Kysely<unknown>): Promise<Saved[]> {
  const rows = await Promise.all(
    tables.map(async ({ table, column, where }) => {
      const result = await sql<Saved>`
        select ${table} as name, coalesce(position, 0)::text as position, ${sql.ref(column)} ->> 'id' as id
        from ${sql.table(table)} where ${where}`
        .execute(db)
        .catch(() => ({ rows: [] }));
      return result.rows;
    }),
  );
  return rows.flat();
}

/** Stopped followers that have read a log to its end, and a function that changes their rows. */
async function stoppedAtTheEnd(seed: number) {
  const url = await useDatabase();
  const db = connectDatabase<unknown>(url, { applicationName: 'test' });
  const suffix = newId().slice(0, 8);
  const names = { stream: `checkpoints_${suffix}`, subject: `test.${suffix}.operation` };
  onTestFinished(async () => {
    await db.destroy();
    const nats = await connect(natsConnectionOptions(inject('natsUrl')));
    await (await nats.jetstreamManager()).streams.delete(names.stream).catch(() => undefined);
    await nats.close();
  });
  const start = () => {
    const followers = startFollowers(url, names);
    onTestFinished(() => followers.stop());
    return followers;
  };
  /** The last events have no webhook, so the webhooks' checkpoints may be before them. */
  const haveRead = async (end: bigint) => {
    const isThere = async () => {
      const rows = await saved(db);
      return (
        rows.length === tables.length &&
        rows.every(
          ({ name, position, id }) =>
            id !== null && (name.startsWith('webhooks.') || BigInt(position) >= end),
        )
      );
    };
    await eventually('all have saved the end of the log', isThere);
  };
  const first = start();
  await haveRead(await appendHistories(own.store, sampleHistories(5, seed)));
  await first.stop();
  const change = async (set: (column: string) => ReturnType<typeof sql>) => {
    for (const { table, column, where } of tables)
      await sql`update ${sql.table(table)} set ${set(column)} where ${where}`.execute(db);
  };
  return { db, start, change, haveRead };
}

const follows = ['projections.operations', 'webhooks.relay', 'webhooks.reconcile', 'processor'];

/** The admin service's, which reads the log from its start where another log has them. */
async function useSweepCheckpoints(db: Kysely<unknown>) {
  await migrateSweepCheckpoints(db);
  const sweepDb = db as unknown as Kysely<SweepCheckpointsDatabase>;
  return createSweepCheckpoints(sweepDb, Promise.resolve());
}

/** Waits until each follower reports this about its checkpoint. */
function untilRefused(followers: ReturnType<typeof startFollowers>, why: string) {
  const areRefused = () =>
    Object.entries(followers.notReady()).every(
      ([name, reason]) => reason?.startsWith(`the checkpoint of ${name} is ${why}`) === true,
    );
  return eventually('each is refused', areRefused);
}

describe('every follower of the log', () => {
  it('rejects a checkpoint of another log, reports it, and starts once reset (R17.12)', async () => {
    const { db, start, change, haveRead } = await stoppedAtTheEnd(41);
    await change(
      (column) =>
        sql`${sql.ref(column)} = ${sql.ref(column)} || jsonb_build_object('id', ${randomUUID()}::text)`,
    );
    const sweeps = await useSweepCheckpoints(db);
    const event = { stream: 'operation-1', revision: 0, id: randomUUID(), position: 5n };
    await sweeps.keep('erasure-', { position: 5n, event });
    const before = await saved(db);
    const followers = start();
    await untilRefused(followers, 'not in the log');
    const last = await appendHistories(own.store, sampleHistories(3, 7));
    expect(await saved(db)).toEqual(before);

    for (const name of followerNames)
      expect(await resetFollower(name, { db, store: own.store })).toContain(
        'reads the log from the start',
      );
    await sql`update projections.status set position = null, position_event = null, event_id = null`.execute(
      db,
    );
    await sql`truncate gateway.operations cascade`.execute(db);
    const follow = () => Object.values(followers.notReady()).every((why) => why === undefined);
    await eventually('all follow again', follow);
    await haveRead(last);
    const atLast = await readCheckpointAt(own.store, last, logStreams.lasting);
    if (!atLast) throw new Error('the last event has no checkpoint');
    await sweeps.keep('erasure-', atLast);
    for (const name of followerNames)
      expect(await resetFollower(name, { db, store: own.store })).toContain('nothing was changed');
  });

  it('rejects a checkpoint beyond the end of the log (R17.12)', async () => {
    const { db, start, change } = await stoppedAtTheEnd(42);
    await change(
      (column) => sql`
        position = position + 1000000000, ${sql.ref(column)} = ${sql.ref(column)}
          || jsonb_build_object('revision', 1000000, 'position', (position + 1000000000)::text)`,
    );
    const before = await saved(db);
    const followers = start();
    await untilRefused(followers, 'beyond the end of the log');
    expect(await saved(db)).toEqual(before);
  });

  it('continues from a position without an event, and saves both next (R17.12)', async () => {
    const { db, start, change, haveRead } = await stoppedAtTheEnd(43);
    await change((column) => sql`${sql.ref(column)} = null`);
    await sql`update projections.status set event_id = null`.execute(db);
    const followers = start();
    await haveRead(await appendHistories(own.store, sampleHistories(3, 11)));
    const reasons = () => follows.flatMap((name) => followers.notReady()[name] ?? []);
    await eventually('all follow', () => reasons().length === 0);
    expect((await saved(db)).map(({ id }) => id)).not.toContain(null);
  });
});
