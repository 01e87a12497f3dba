import type { Kysely } from 'kysely';
import type { RawLog } from '../log/read-log.ts';
import { modelNames } from '../rows/limits.ts';
import type { ModelName } from '../rows/tables.ts';
import { readStandings, type Standings } from './snapshot.ts';

export type ChosenStandings = {
  /** The position up to which the log is audited. */
  until: number;
  /** The positions at which stopped read models are compared. */
  limits: Partial<Record<ModelName, number>>;
  /** A worker is updating the read models now. */
  running: boolean;
  standings: Standings;
};

/**
 * Fixes the audit's position, and finds out which read models are running. One without a worker is
 * compared where it is; running ones are compared where they are once the log is read.
 */
export async function chooseStandings<DB>(db: Kysely<DB>, log: RawLog): Promise<ChosenStandings> {
  const until = await log.head();
  const standings = await readStandings(db);
  const resting = modelNames.filter((name) => {
    const standing = standings[name];
    return standing?.alive !== true || standing.stopped !== undefined;
  });
  const limits = Object.fromEntries(
    resting.flatMap((name) => {
      const position = standings[name]?.position ?? 0;
      return position < until ? [[name, position]] : [];
    }),
  );
  return { until, limits, running: Object.values(standings).some(({ alive }) => alive), standings };
}
