import { sql, type Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { UnappliableEvent, type ReadModel } from '../read-model.ts';
import { appendHistories } from '../testing/append.ts';
import { expectRowsToEqualFold } from '../testing/expect-fold.ts';
import {
  hasReached,
  statusOf,
  untilState,
  useDb,
  useOwnEventStore,
  useProjections,
} from '../testing/stores.ts';
import { rebuild, type RebuildOptions } from './rebuild.ts';

const models = [operationsReadModel];

describe('a rebuild', () => {
  const own = useOwnEventStore();
  const histories = sampleHistories(80, 31);
  let end: Promise<bigint> | undefined;
  const logEnd = () => (end ??= appendHistories(own.store, histories));
  const options = (db: RebuildOptions['db']) => ({
    db,
    store: own.store,
    model: operationsReadModel,
    logger,
  });

  /** Tables with the whole log, and the worker that follows it. */
  async function useCaughtUp() {
    const last = await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models });
    await eventually('caught up', () => hasReached(db, last));
    return { db, last, projections };
  }

  it('repairs rows that differ from the log, and reports them', async () => {
    const { db, projections } = await useCaughtUp();
    const [altered, removed] = histories.map(({ create }) => create.operationId);
    await sql`update gateway.operations set actual_amount = 777.77 where operation_id = ${altered}`.execute(
      db,
    );
    await sql`delete from gateway.operations where operation_id = ${removed}`.execute(db);
    await sql`
      insert into gateway.operations
      select (jsonb_populate_record(o, '{"operation_id": "ffffffff-0000-8000-8000-000000000000",
        "merchant_operation_id": "invented"}')).*
      from gateway.operations o limit 1`.execute(db);

    const compared = await rebuild({ ...options(db), swap: false });
    expect(compared).toMatchObject({ swapped: false, comparison: { different: 3 } });
    const rebuilt = await rebuild(options(db));
    expect(rebuilt.events).toBe(histories.reduce((sum, { events }) => sum + events.length, 0));
    expect(rebuilt.comparison?.different).toBe(3);
    const { examples = [] } = rebuilt.comparison ?? {};
    const changed = [{ column: 'actual_amount', live: '777.77', rebuilt: expect.any(String) }];
    const invented = 'ffffffff-0000-8000-8000-000000000000';
    expect(examples).toHaveLength(3);
    for (const example of [
      { key: altered, kind: 'differs', columns: changed },
      { key: removed, kind: 'missing', columns: [] },
      { key: invented, kind: 'surplus', columns: [] },
    ])
      expect(examples).toContainEqual(expect.objectContaining(example));
    await expectRowsToEqualFold(db, own.store, histories);
    expect((await rebuild({ ...options(db), swap: false })).comparison).toEqual({
      different: 0,
      examples: [],
    });

    // The new tables have the indexes and grants of the old ones, and no temporary tables remain.
    const { rows } = await sql`
      select (select count(*)::int from pg_indexes where schemaname = 'gateway') as indexes,
        (select count(*)::int from pg_tables where schemaname in ('gateway_rebuild', 'gateway_compare')) as left,
        has_table_privilege('gateway_analyst', 'gateway.operations', 'select') as granted`.execute(
      db,
    );
    expect(rows).toEqual([{ indexes: 35, left: 0, granted: true }]);
    expect(projections.notReady()).toBeUndefined();
  });

  it('equals the live tables while events arrive and the live worker runs (R17.10)', async () => {
    await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models, maxBatch: 20 });
    await untilState(projections, 'live');
    const more = sampleHistories(150, 32);
    const appending = appendHistories(own.store, more);
    const reports = [await rebuild(options(db)), await rebuild(options(db))];
    const last = await appending;
    for (const { comparison } of reports)
      expect(comparison).toEqual({ different: 0, examples: [] });
    await eventually('caught up', () => hasReached(db, last));
    histories.push(...more);
    end = Promise.resolve(last);
    await expectRowsToEqualFold(db, own.store, histories);
    expect(projections.statuses()[0]?.failure).toBeUndefined();
  });

  it.each([
    ['of another log', sql`position_event = position_event || '{"id": "of-another-log"}'`],
    [
      'beyond the end of the log',
      sql`position = position + 1000000000, position_event = position_event || jsonb_build_object(
        'revision', 1000000, 'position', (position + 1000000000)::text)`,
    ],
    ['without an event, as an earlier version has it', sql`position_event = null, event_id = null`],
  ])('replaces tables with a checkpoint %s (R17.12)', async (_what, change) => {
    const { db, last, projections: former } = await useCaughtUp();
    await former.stop();
    await sql`update projections.status set ${change}`.execute(db);
    await sql`truncate gateway.operations cascade`.execute(db);
    const report = await rebuild(options(db));
    expect(report).toMatchObject({ swapped: true, comparison: undefined, position: last });
    await expectRowsToEqualFold(db, own.store, histories);
    const projections = useProjections({ db, store: own.store, models });
    await untilState(projections, 'live');
    expect(projections.notReady()).toBeUndefined();
  });

  it('ends the recorded stop of a worker whose checkpoint was not in the log (R17.12)', async () => {
    const { db, projections: former } = await useCaughtUp();
    await former.stop();
    await sql`update projections.status
      set position_event = position_event || '{"id": "of-another-log"}'`.execute(db);
    useProjections({ db, store: own.store, models });
    const stopped = async () => (await statusOf(db))?.state === 'stopped';
    await eventually('the worker is stopped', stopped);
    await rebuild(options(db));
    // Its worker waits for some seconds before it reads its checkpoint again.
    const { state, failed_reason } = (await statusOf(db)) ?? {};
    expect({ isStopped: state === 'stopped', failed_reason }).toEqual({
      isStopped: false,
      failed_reason: null,
    });
  });

  it('runs automatically when the code has another version of the read model', async () => {
    const last = await logEnd();
    const { db } = await useDb();
    const old = useProjections({
      db,
      store: own.store,
      models: [{ ...operationsReadModel, version: 0 }],
    });
    await eventually('caught up', () => hasReached(db, last));
    await old.stop();
    // Another version may have had other columns, and fewer tables.
    await sql`alter table gateway.operations drop column legs_count`.execute(db);
    await sql`drop table gateway.legs`.execute(db);
    const projections = useProjections({ db, store: own.store, models });
    await untilState(projections, 'live');
    await expectRowsToEqualFold(db, own.store, histories);
    expect(await statusOf(db)).toMatchObject({ version: operationsReadModel.version });
  });

  it('records why it stopped if it runs automatically and meets an event that it cannot apply', async () => {
    const { db, last, projections: former } = await useCaughtUp();
    await former.stop();
    const refusing: ReadModel = {
      ...operationsReadModel,
      version: operationsReadModel.version + 1,
      apply: async ({ events }) => {
        for (const event of events) throw new UnappliableEvent(event, new Error('no'));
      },
    };
    useProjections({ db, store: own.store, models: [refusing] });
    const stopped = async () => (await statusOf(db))?.state === 'stopped';
    await eventually('the worker is stopped', stopped);
    expect(await statusOf(db)).toMatchObject({ failed_reason: 'no', position: String(last) });
  });

  it('is not undone by an older version that runs concurrently or afterwards', async () => {
    const last = await logEnd();
    const { db } = await useDb();
    const newest = [{ ...operationsReadModel, version: operationsReadModel.version + 1 }];
    const older = useProjections({ db, store: own.store, models });
    await untilState(older, 'live');
    const newer = useProjections({ db, store: own.store, models: newest });
    await untilState(newer, 'standby');
    await older.stop();
    await untilState(newer, 'live');
    const { counted, db: watched } = countSessions(db);
    const late = useProjections({ db: watched, store: own.store, models });
    await untilState(late, 'standby');
    await newer.stop();
    expect(late.notReady()).toBeUndefined();
    // When a session begins, the previous one has ended.
    const before = counted.sessions;
    await eventually('it has retried', () => counted.sessions >= before + 2);
    expect(late.statuses()[0]?.state).toBe('standby');
    expect(await statusOf(db)).toMatchObject({ version: operationsReadModel.version + 1 });
    expect(await hasReached(db, last)).toBe(true);
    await expectRowsToEqualFold(db, own.store, histories);
  });

  it('changes nothing if the log has an event that the code cannot apply', async () => {
    const { db, projections } = await useCaughtUp();
    const refusing = { ...operationsReadModel, apply: () => Promise.reject(new Error('no')) };
    await expect(rebuild({ ...options(db), model: refusing })).rejects.toThrow('no');
    await expectRowsToEqualFold(db, own.store, histories);
    expect(projections.notReady()).toBeUndefined();
  });

  it('fills empty tables while a live worker is catching up', async () => {
    await logEnd();
    const { db } = await useDb();
    const projections = useProjections({ db, store: own.store, models, maxBatch: 5 });
    await eventually('the status row exists', async () => (await statusOf(db)) !== undefined);
    expect(await rebuild(options(db))).toMatchObject({ swapped: true });
    await untilState(projections, 'live');
    await expectRowsToEqualFold(db, own.store, histories);
  });
});

/** Counts the connections that a worker acquires. */
function countSessions(db: Kysely<unknown>) {
  const counted = { sessions: 0 };
  const watched = new Proxy(db, {
    get: (target, key) => {
      if (key === 'connection') counted.sessions += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { counted, db: watched };
}
