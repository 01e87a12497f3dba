import { sql, type Kysely } from 'kysely';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { paidHistory, sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import { createProjectionsApp } from '../app.ts';
import { projectOperation } from '../operations/project.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { operationsTable } from '../operations/table.ts';
import type { ReadModel } from '../read-model.ts';
import { listProjections } from '../status.ts';
import { append, appendHistories } from '../testing/append.ts';
import {
  hasReached,
  linesOf,
  statusOf,
  useDb,
  useOwnEventStore,
  useProjections,
} from '../testing/stores.ts';
import { rowPerStream } from '../rows/row-per-stream.ts';

/** The read model in a later version of the code, which can apply the event `Surprise`. */
const fixedReadModel: ReadModel = {
  ...operationsReadModel,
  apply: rowPerStream({
    table: operationsTable,
    key: 'operation_id',
    streamPrefix: 'operation-',
    beginsLate: 'OperationAdmitted',
    project: (before, event) => {
      if (event.type !== 'Surprise' || !before) return projectOperation(before, event);
      return { ...before, revision: event.revision, position: event.position.toString() };
    },
  }),
};

/** Applies only one stream, because only `fixedReadModel` can apply the earlier ones. */
const readModelFrom =
  (stream: string): ReadModel['apply'] =>
  async (batch) => {
    const events = batch.events.filter((event) => event.stream === stream);
    await operationsReadModel.apply({ ...batch, events });
  };

describe('an event that cannot be applied', () => {
  const own = useOwnEventStore();
  const follow = (db: Kysely<unknown>, model: ReadModel, stoppedPauseMs = 100, more = {}) =>
    useProjections({ db, store: own.store, models: [model], stoppedPauseMs, ...more });
  const untilStored = (db: Kysely<unknown>, state: 'live' | 'stopped') =>
    eventually(state, async () => (await statusOf(db))?.state === state);

  it('stops the projection and is reported, until newer code applies it (R17.11)', async () => {
    const { db } = await useDb();
    const good = sampleHistories(30, 21);
    await appendHistories(own.store, good);
    const operationId = randomUUID();
    const stream = operationStream(operationId);
    const history = paidHistory({ operationId, merchantOperationId: operationId });
    await append(own.store, stream, { events: history.events.slice(0, 3) });
    await append(own.store, stream, { events: [{ type: 'Surprise', data: {} }], after: 2 });
    const [surprise] = await own.store.read(stream, { fromRevision: 3 });
    const later = sampleHistories(30, 22);
    const end = await appendHistories(own.store, later);

    // Heartbeats also move the checkpoint, but never past an event that could not be applied.
    const projections = follow(db, operationsReadModel, 100, { heartbeatEveryMs: 1 });
    await untilStored(db, 'stopped');
    expect(await statusOf(db)).toMatchObject({
      failed_event_id: surprise?.id,
      failed_stream: stream,
      failed_revision: 3,
      failed_reason: expect.stringContaining('unknown operation event Surprise'),
    });
    // Everything before it was applied, nothing after it.
    const lines = linesOf(db);
    expect(
      await lines`select revision from gateway.operations where operation_id = ${operationId}`,
    ).toEqual(['2']);
    expect(await lines`select count(*) from gateway.operations`).toEqual([`${good.length + 1}`]);

    const app = createProjectionsApp({
      logger,
      metrics: createMetrics('test'),
      store: own.store,
      projections,
    });
    const readyz = await app.request('/readyz');
    expect(readyz.status).toBe(503);
    expect(await readyz.json()).toMatchObject({
      code: 'not_ready',
      detail: 'projection operations is stopped, see projections.status',
    });
    const metrics = await (await app.request('/metrics')).text();
    expect(metrics).toMatch(
      /gateway_projection_state\{projection="operations",state="stopped".*\} 1/,
    );
    const lag = later.reduce((sum, { events }) => sum + events.length, 1);
    expect(metrics).toMatch(
      new RegExp(`gateway_projection_lag_events\\{projection="operations".*\\} ${lag}\n`),
    );
    const listed = (await listProjections(db, own.store)).find(({ name }) => name === 'operations');
    expect(listed).toMatchObject({
      status: 'stopped',
      lag_events: lag,
      failed: { event_id: surprise?.id, stream, revision: 3 },
    });
    expect(listed?.lag_ms).toBeGreaterThan(0);

    await projections.stop();
    const after = follow(db, fixedReadModel);
    await eventually('caught up', () => hasReached(db, end));
    await untilStored(db, 'live');
    expect(await statusOf(db)).toMatchObject({ failed_event_id: null, failed_reason: null });
    expect(after.notReady()).toBeUndefined();
  });

  it('stops the projection if only the database rejects it, and is retried', async () => {
    const { db } = await useDb();
    const end = await appendHistories(own.store, sampleHistories(9, 23));
    const projections = follow(db, fixedReadModel, 200);
    await eventually('caught up', () => hasReached(db, end));
    // A conflict that only the database can see: a row with the same merchant_operation_id and
    // another id.
    await sql`
      insert into gateway.operations
      select (jsonb_populate_record(o, jsonb_build_object(
        'operation_id', ${randomUUID()}::text, 'merchant_operation_id', 'clash', 'shop_id', 'shop-1'))).*
      from gateway.operations o limit 1`.execute(db);
    const operationId = randomUUID();
    const history = paidHistory({ operationId, merchantOperationId: 'clash', shopId: 'shop-1' });
    const others = sampleHistories(9, 25);
    const first = appendHistories(own.store, others.slice(0, 5));
    await append(own.store, operationStream(operationId), { events: history.events });
    await first;
    await appendHistories(own.store, others.slice(5));
    await untilStored(db, 'stopped');
    expect(await statusOf(db)).toMatchObject({
      failed_stream: operationStream(operationId),
      failed_revision: 0,
    });
    expect(projections.notReady()).toContain('stopped');
    await sql`delete from gateway.operations where merchant_operation_id = 'clash'`.execute(db);
    await untilStored(db, 'live');
    expect(projections.notReady()).toBeUndefined();
  });

  it('stops the projection if its rows are missing from a second table', async () => {
    const { db } = await useDb();
    const operationId = randomUUID();
    const stream = operationStream(operationId);
    const { events } = paidHistory({ operationId, merchantOperationId: operationId });
    const end = await append(own.store, stream, { events: events.slice(0, 3) });
    follow(db, { ...fixedReadModel, apply: readModelFrom(stream) });
    await eventually('caught up', () => hasReached(db, end));
    await sql`delete from gateway.status_history where operation_id = ${operationId}`.execute(db);
    await append(own.store, stream, { events: events.slice(3), after: 2 });
    await untilStored(db, 'stopped');
    expect(await statusOf(db)).toMatchObject({
      failed_stream: stream,
      failed_revision: 3,
      failed_reason: '1 rows of status_history were to change, 0 did',
    });
  });

  it('stops the projection if the log is not the one of the tables', async () => {
    const { db } = await useDb();
    const end = await appendHistories(own.store, sampleHistories(3, 24));
    const first = follow(db, fixedReadModel);
    await eventually('caught up', () => hasReached(db, end));
    await first.stop();
    const other = randomUUID();
    await sql`
      update projections.status set position_event = position_event || jsonb_build_object('id', ${other}::text)`.execute(
      db,
    );
    const second = follow(db, fixedReadModel);
    await untilStored(db, 'stopped');
    const reason = 'the checkpoint of projections.operations is not in the log';
    expect((await statusOf(db))?.failed_reason).toContain(reason);
    expect(second.notReady()).toContain(reason);

    // A row of an earlier version names the newest event of the tables, or none.
    await sql`update projections.status set position_event = null`.execute(db);
    await untilStored(db, 'live');
    expect(second.notReady()).toBeUndefined();
    await second.stop();
    await sql`update projections.status set position_event = null, event_id = ${other}`.execute(db);
    const third = follow(db, fixedReadModel);
    await untilStored(db, 'stopped');
    expect(third.notReady()).toContain(reason);
    await sql`update projections.status set event_id = null`.execute(db);
    await untilStored(db, 'live');
  });
});
