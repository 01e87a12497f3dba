import { Gauge } from 'prom-client';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { findCheckpoint, type CheckpointFinding, type LogCheckpoint } from './checkpoint.ts';
import type { EventStore } from './types.ts';

/** Verifies the checkpoints of a process's followers, and reports those that are not in the log. */
export type CheckpointGuard = {
  /**
   * @throws CheckpointNotInLog, or another error while it is unknown: the store does not answer, or
   *   a replica lags
   */
  verify(
    follower: string,
    store: Pick<EventStore, 'head' | 'read'>,
    checkpoint: LogCheckpoint | undefined,
  ): Promise<void>;
  /** Stops verifying: another process follows now. */
  release(follower: string): void;
  /** The checkpoint that is not in the log, or was not found there yet; undefined if all are. */
  notReady(): string | undefined;
};

/**
 * Thrown when a follower may not start, because it would skip events, or read another log as its
 * own.
 */
export class CheckpointNotInLog extends Error {
  constructor(follower: string, finding: Exclude<CheckpointFinding, 'in_log'>) {
    super(
      finding === 'beyond_end'
        ? `the checkpoint of ${follower} is beyond the end of the log: an older copy, or another log`
        : `the checkpoint of ${follower} is not in the log: another log, or an older copy`,
    );
    this.name = 'CheckpointNotInLog';
  }
}

/** How long a refused follower waits before it reads its checkpoint again. */
export const refusedPauseMs = 5_000;
/** How long a replica of the store may take to show an event that a follower has read. */
export const replicaLagMs = 10_000;

const notShown = (follower: string) =>
  `the event store does not show the checkpoint of ${follower} yet`;

type GuardOptions = {
  logger: Pick<Logger, 'error' | 'info'>;
  metrics?: Metrics | undefined;
  now?: () => number;
};

export function createCheckpointGuard({
  logger,
  metrics,
  now = () => performance.now(),
}: GuardOptions): CheckpointGuard {
  const beyondSince = new Map<string, number>();
  const refused = new Map<string, CheckpointNotInLog>();
  /** Found at least once: from then on a replica that lags makes no service unready. */
  const verified = new Set<string>();
  const gauge = new Gauge({
    name: 'gateway_checkpoint_not_in_log',
    help: '1 while a follower of the log does not start, because its checkpoint is not in the log',
    labelNames: ['follower'],
    registers: metrics ? [metrics] : [],
  });

  const release = (follower: string) => {
    beyondSince.delete(follower);
    refused.delete(follower);
    gauge.set({ follower }, 0);
  };
  const find = async (
    follower: string,
    store: Pick<EventStore, 'head' | 'read'>,
    checkpoint: LogCheckpoint,
  ) => {
    try {
      return await findCheckpoint(store, checkpoint);
    } catch (error) {
      // A replica that returns has this time from then on.
      beyondSince.delete(follower);
      throw error;
    }
  };
  const isLag = (follower: string, finding: CheckpointFinding) => {
    if (finding !== 'beyond_end') return false;
    const since = beyondSince.get(follower) ?? now();
    beyondSince.set(follower, since);
    return now() - since < replicaLagMs;
  };

  return {
    verify: async (follower, store, checkpoint) => {
      const finding = checkpoint ? await find(follower, store, checkpoint) : 'in_log';
      if (finding === 'in_log') {
        if (refused.has(follower)) logger.info({ follower }, 'the checkpoint is in the log again');
        release(follower);
        verified.add(follower);
        return;
      }
      if (isLag(follower, finding)) throw new Error(notShown(follower));
      const error = new CheckpointNotInLog(follower, finding);
      if (refused.get(follower)?.message !== error.message)
        logger.error(
          { follower, position: String(checkpoint?.position), event: checkpoint?.event?.id },
          `${error.message}: the follower does not start (docs/operators/recovery.md)`,
        );
      refused.set(follower, error);
      gauge.set({ follower }, 1);
      throw error;
    },
    release,
    notReady: () => {
      const unseen = [...beyondSince.keys()].find((follower) => !verified.has(follower));
      return (
        refused.values().next().value?.message ?? (unseen === undefined ? unseen : notShown(unseen))
      );
    },
  };
}
