import type { Activity } from '../process/activity.ts';

/** As many checks in a row find a process that has stopped; one may come right after a pause. */
const stoppedChecks = 4;
/** An endless loop is one answer that takes as much processor time as this many starts. */
const startsPerAnswer = 30;

type Check = {
  /** It has answered since the last check. */
  readonly answered: boolean;
  readonly activity: Activity | undefined;
};

export type HangDetector = {
  /** It is ready: what it has used so far is what a start takes on this machine. */
  readonly started: (activity: Activity | undefined) => void;
  /** @returns why it will never answer; undefined if it may */
  readonly check: (check: Check) => string | undefined;
};

/**
 * Distinguishes a process that is slow to answer from one that hangs, by what it does and not by
 * time: a busy one runs, or waits for a processor or the disk, on however slow a machine.
 */
export function createHangDetector(): HangDetector {
  let startTicks: number | undefined;
  let answeredAt = 0;
  let previous: Activity | undefined;
  let stopped = 0;
  return {
    started: (activity) => (startTicks = activity?.ticks),
    check: ({ answered, activity }) => {
      const before = previous;
      previous = activity;
      if (answered || activity === undefined) {
        answeredAt = activity?.ticks ?? answeredAt;
        stopped = 0;
        return undefined;
      }
      stopped = activity.isBusy || activity.switches !== before?.switches ? 0 : stopped + 1;
      if (stopped >= stoppedChecks) return `no thread of it runs`;
      if (startTicks === undefined) return undefined;
      return activity.ticks - answeredAt > startTicks * startsPerAnswer
        ? `it has worked for as long as ${startsPerAnswer} starts take`
        : undefined;
    },
  };
}
