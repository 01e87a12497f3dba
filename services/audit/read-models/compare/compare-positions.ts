import type { Kysely } from 'kysely';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { modelNames } from '../rows/limits.ts';
import type { ModelName } from '../rows/tables.ts';
import { readStatuses } from './snapshot.ts';

export type ComparePositions = {
  /** The position up to which the log is audited. */
  until: number;
  /** The positions at which stopped read models are compared. */
  limits: Partial<Record<ModelName, number>>;
  /** A worker is updating the read models now. */
  running: boolean;
};

/**
 * Fixes the audit's position, and detects which read models are running. One without a worker is
 * compared at its position; running ones at their position once the log is read.
 */
export async function fixPositions<DB>(db: Kysely<DB>, log: RawLog): Promise<ComparePositions> {
  const until = await log.head();
  const statuses = await readStatuses(db);
  const resting = modelNames.filter((name) => {
    const status = statuses[name];
    return status?.alive !== true || status.stopped !== undefined;
  });
  const limits = Object.fromEntries(
    resting.flatMap((name) => {
      const position = statuses[name]?.position ?? 0;
      return position < until ? [[name, position]] : [];
    }),
  );
  return { until, limits, running: Object.values(statuses).some(({ alive }) => alive) };
}
