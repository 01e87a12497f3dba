import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { RawLog } from '../log/read-log.ts';
import { modelNames } from '../rows/limits.ts';
import type { ModelName } from '../rows/tables.ts';
import { readStandings, type Standings } from './snapshot.ts';

export type ChosenStandings = {
  /** The log is audited up to there. */
  until: number;
  /** Where read models are compared that do not go on. */
  limits: Partial<Record<ModelName, number>>;
  /** Somebody keeps the read models up to date now. */
  running: boolean;
  standings: Standings;
};

const waitMs = 10_000;
const pauseMs = 100;

/**
 * Fixes the position of the audit, and finds out which read models go on. One that nobody works on is compared where it
 * stands; those that go on are waited for, and compared where they have got to when the log is read.
 */
export async function chooseStandings<DB>(db: Kysely<DB>, log: RawLog): Promise<ChosenStandings> {
  const until = await log.head();
  const deadline = performance.now() + waitMs;
  for (;;) {
    const standings = await readStandings(db);
    const behind = modelNames.filter((name) => (standings[name]?.position ?? 0) < until);
    const moving = behind.filter((name) => standings[name]?.alive === true && !standings[name]?.stopped);
    const running = Object.values(standings).some(({ alive }) => alive);
    if (moving.length === 0 || performance.now() > deadline) {
      const limits = Object.fromEntries(
        behind.flatMap((name) => {
          const standing = standings[name];
          const resting = standing?.alive !== true || standing.stopped !== undefined;
          return resting ? [[name, standing?.position ?? 0]] : [];
        }),
      );
      return { until, limits, running, standings };
    }
    await delay(pauseMs);
  }
}
