import { sql, type Kysely } from 'kysely';
import { onTestFinished } from 'vitest';
import { eventually, waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { ownLogForFile } from '#infra/verify/harness/stores/own-log.ts';
import { useDatabase } from '#infra/verify/harness/stores/database.ts';
import { storeForFile } from '#infra/verify/harness/stores/store.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { WorkerFailure } from '../runner/worker-status.ts';
import { operationsReadModel } from '../operations/read-model.ts';
import { readModels } from '../registry.ts';
import { listProjections } from '../status.ts';
import { suspenseReadModel } from '../suspense/read-model.ts';
import { startProjections, type Projections, type ProjectionsOptions } from '../start.ts';

/**
 * An event store for one test file, because read models follow the whole log, and other files
 * write events to the shared one that no read model can apply.
 */
export function useOwnEventStore() {
  const log = ownLogForFile();
  return { log, store: storeForFile(() => log.url) };
}

export type TestDatabase = { url: string; db: Kysely<unknown> };

export async function useDb(): Promise<TestDatabase> {
  const url = await useDatabase();
  // Each read model holds one, and other tested code needs some at any time.
  const db = connectDatabase<unknown>(url, {
    applicationName: 'test',
    maxConnections: 16,
    connectWithinMs: waitLimitMs,
  });
  onTestFinished(() => db.destroy());
  return { url, db };
}

type Row = Record<string, string | number | boolean | Date | null>;
/** Reads rows as lines: the values of each, with "-" for null. */
export const linesOf =
  (db: Kysely<unknown>) =>
  async (strings: TemplateStringsArray, ...values: unknown[]): Promise<string[]> => {
    const { rows } = await sql<Row>(strings, ...values).execute(db);
    return rows.map((row) =>
      Object.values(row)
        .map((value) => value ?? '-')
        .join(' '),
    );
  };

/** Runs projections until the test ends. */
export function useProjections(options: Omit<ProjectionsOptions, 'logger'>): Projections {
  const projections = startProjections({ logger, ...options });
  onTestFinished(() => projections.stop());
  return projections;
}

/**
 * Runs the read models of operations and suspense, and resolves when they have everything up to
 * this position.
 */
export async function followOperations(
  { db, store }: Pick<ProjectionsOptions, 'db' | 'store'>,
  end: bigint,
): Promise<Projections> {
  const models = [operationsReadModel, suspenseReadModel];
  const projections = startProjections({ db, store, logger, models });

  await eventually('caught up', () => hasReached(db, end));
  await eventually('the suspense table exists', () => hasTable(db, 'suspense'));
  return projections;
}

/** Whether all read models have read what was in the log at their start. */
export const areLive = (projections: Projections): boolean =>
  projections.statuses().length === readModels.length &&
  projections.statuses().every(({ state }) => state === 'live');

/** Waits for a state of a worker that runs one read model. */
export const untilState = (projections: Projections, state: 'live' | 'standby'): Promise<unknown> =>
  eventually(`the worker is ${state}`, () => projections.statuses()[0]?.state === state);

/** Whether all read models have the whole log. */
export const areCaughtUp = async (
  projections: Projections,
  db: Kysely<unknown>,
  store: EventStore,
): Promise<boolean> =>
  projections.notReady() === undefined &&
  (await listProjections(db, store)).every(({ lag_events: lag }) => lag === 0);

type StatusRow = { name: string; position: string | null; events: string; state: string } & {
  [Column in keyof WorkerFailure as `failed_${Column}`]: WorkerFailure[Column] | null;
};

export async function statusOf(
  db: Kysely<unknown>,
  name = 'operations',
): Promise<StatusRow | undefined> {
  const exists = await sql<{
    at: string | null;
  }>`select to_regclass('projections.status')::text as at`.execute(db);
  if (exists.rows[0]?.at == null) return undefined;
  const { rows } = await sql<StatusRow>`
    select * from projections.status where schema = 'gateway' and name = ${name}`.execute(db);
  return rows[0];
}

/** Whether the tables have everything up to this position. */
export async function hasReached(
  db: Kysely<unknown>,
  position: bigint,
  name = 'operations',
): Promise<boolean> {
  return BigInt((await statusOf(db, name))?.position ?? 0) >= position;
}

/** A read model without events has tables, but no position. */
async function hasTable(db: Kysely<unknown>, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(${`gateway.${name}`})::text as found`.execute(db);
  return rows[0]?.found !== null;
}
