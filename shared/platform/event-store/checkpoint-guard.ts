import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import {
  findCheckpoint,
  type CheckpointFinding,
  type CheckpointReads,
  type LogCheckpoint,
} from './checkpoint.ts';

/** Verifies the checkpoints of a process's followers, and reports those that are not in the log. */
export type CheckpointGuard = {
  /**
   * @throws CheckpointNotInLog, or another error while it is unknown: the store does not answer, or
   *   a replica lags
   */
  verify(
    follower: string,
    store: CheckpointReads,
    checkpoint: LogCheckpoint | undefined,
  ): Promise<void>;
  /** Stops verifying: another process follows now. */
  release(follower: string): void;
  /** The checkpoint that the log does not show, by its answer; undefined if it shows all. */
  missing(): string | undefined;
  /** The checkpoint that is missing, or was not found in the log yet; undefined if all were. */
  notReady(): string | undefined;
};

/**
 * Thrown when a follower may not start, because it would skip events, or read another log as its
 * own.
 */
export class CheckpointNotInLog extends Error {
  override readonly name = 'CheckpointNotInLog';
}

const notInLog = (follower: string, finding: Exclude<CheckpointFinding, 'in_log'>) =>
  finding === 'beyond_end'
    ? `the checkpoint of ${follower} is beyond the end of the log: an older copy, or another log`
    : `the checkpoint of ${follower} is not in the log: another log, or an older copy`;

/** How long a refused follower waits before it reads its checkpoint again. */
export const refusedPauseMs = 5_000;
/** How long a replica of the store may take to show an event that a follower has read. */
export const replicaLagMs = 10_000;

const notShown = (follower: string) =>
  `the event store does not show the checkpoint of ${follower} yet`;

export type CheckpointGuardOptions = {
  logger: Pick<Logger, 'error' | 'info' | 'warn'>;
  metrics?: Metrics | undefined;
  now?: () => number;
  /** The store that the log was moved to, whose checkpoints are saved from then on. */
  movedTo(store: CheckpointReads): Promise<string | undefined>;
};

export function createCheckpointGuard({
  logger,
  metrics,
  now = () => performance.now(),
  movedTo,
}: CheckpointGuardOptions): CheckpointGuard {
  const beyondSince = new Map<string, number>();
  const refused = new Map<string, CheckpointNotInLog>();
  const logMove = createMoveLog(logger);
  /** Found at least once: from then on a replica that lags makes no service unready. */
  const verified = new Set<string>();
  const looking = new Set<string>();
  const gauge = createGauge(metrics);

  const release = (follower: string) => {
    beyondSince.delete(follower);
    refused.delete(follower);
    looking.delete(follower);
    gauge.set({ follower }, 0);
  };
  const find = async (follower: string, store: CheckpointReads, checkpoint: LogCheckpoint) => {
    try {
      return await findCheckpoint(store, checkpoint);
    } catch (error) {
      // A replica that returns has this time from then on.
      beyondSince.delete(follower);
      throw error;
    }
  };
  const isLag = (follower: string) => {
    const since = beyondSince.get(follower) ?? now();
    beyondSince.set(follower, since);
    return now() - since < replicaLagMs;
  };
  const refuse = (follower: string, error: CheckpointNotInLog, alert: 0 | 1) => {
    refused.set(follower, error);
    gauge.set({ follower }, alert);
    return error;
  };
  return {
    verify: async (follower, store, checkpoint) => {
      if (!verified.has(follower)) looking.add(follower);
      const finding = checkpoint ? await find(follower, store, checkpoint) : 'in_log';
      if (finding === 'in_log') {
        if (refused.has(follower)) logger.info({ follower }, 'the checkpoint is in the log again');
        release(follower);
        verified.add(follower);
        return;
      }
      const to = await movedTo(store);
      // The operator of a planned move is at work, so no alert fires.
      if (to !== undefined) throw refuse(follower, logMove(follower, to), 0);
      if (finding === 'beyond_end' && isLag(follower)) throw new Error(notShown(follower));
      const error = new CheckpointNotInLog(notInLog(follower, finding));
      if (refused.get(follower)?.message !== error.message)
        logger.error(
          { follower, position: String(checkpoint?.position), event: checkpoint?.event?.id },
          `${error.message}: the follower does not start (docs/operators/recovery.md)`,
        );
      throw refuse(follower, error, 1);
    },
    release,
    ...readiness({ refused, beyondSince, verified, looking }),
  };
}

type GuardState = {
  readonly refused: ReadonlyMap<string, CheckpointNotInLog>;
  readonly beyondSince: ReadonlyMap<string, number>;
  readonly verified: ReadonlySet<string>;
  readonly looking: ReadonlySet<string>;
};

function readiness({ refused, beyondSince, verified, looking }: GuardState) {
  const describe = (follower: string | undefined) =>
    follower === undefined ? undefined : notShown(follower);
  const missing = () => {
    const [refusal] = refused.values();
    return (
      refusal?.message ?? describe([...beyondSince.keys()].find((each) => !verified.has(each)))
    );
  };
  return { missing, notReady: () => missing() ?? describe([...looking][0]) };
}

const createGauge = (metrics: Metrics | undefined) =>
  new Gauge({
    name: 'gateway_checkpoint_not_in_log',
    help: '1 while a follower of the log does not start, because its checkpoint is not in the log',
    labelNames: ['follower'],
    registers: metrics ? [metrics] : [],
  });

/** Logs once for all followers of a process. */
function createMoveLog(logger: Pick<Logger, 'warn'>) {
  let logged: string | undefined;
  return (follower: string, to: string): CheckpointNotInLog => {
    if (logged !== to)
      logger.warn({ to }, `the log was moved to ${to}: followers wait for a start with that store`);
    logged = to;
    return new CheckpointNotInLog(`the log was moved to ${to}: ${follower} does not follow`);
  };
}
