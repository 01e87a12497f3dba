import type { Report } from '../../report/findings/findings.ts';
import type { Pass } from '../pass/log-pass.ts';
import type { ChainCheckpoint } from './checkpoint.ts';

/** Compares the chain with a checkpoint when the reading reaches its position. */
type SinceCheck = {
  /** To be called before the event at this position is applied. */
  before(position: number): void;
  /** Whether all up to the checkpoint has been read. */
  isReached(): boolean;
  /** @returns whether the log up to the checkpoint is unchanged */
  end(): boolean;
};

export function createSinceCheck(
  checkpoint: ChainCheckpoint,
  pass: Pass,
  report: Report,
): SinceCheck {
  const checkpointPosition = Number(checkpoint.position);
  let same: boolean | undefined;
  const judge = () => {
    const hash = pass.chain.hash();
    same = hash === checkpoint.hash && pass.chain.events() === checkpoint.events;
    if (same) return;
    report({
      rule: 'checkpoint.rewritten',
      stream: 'the log',
      position: checkpointPosition,
      message:
        `${pass.chain.events()} events up to here have the hash ${hash}; ` +
        `${checkpoint.events} had ${checkpoint.hash} on ${checkpoint.created_at}`,
    });
  };
  return {
    before: (position) => {
      if (same === undefined && position > checkpointPosition) judge();
    },
    isReached: () => same !== undefined,
    end: () => {
      if (same === undefined) judge();
      return same === true;
    },
  };
}
