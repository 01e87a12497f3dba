import { setImmediate as turn } from 'node:timers/promises';
import { commandSubject } from '#shared/domain/ledger/reference.ts';
import { isRecorded, readFurther } from './look-back.ts';
import type { LedgerMemory } from './memory.ts';
import type { QueuedCommand } from './queue.ts';
import { ReadFailed, type LedgerSource } from './reading.ts';

export type DeferredCommands = {
  /** Adds a command that the memory can't decide. */
  add(waiting: QueuedCommand): void;
  /**
   * Holds back commands that must not overtake one that waits here with the same subject, and
   * returns the others.
   */
  holdBack(batch: readonly QueuedCommand[]): QueuedCommand[];
  count(): number;
  /** The reading in progress, until no command waits any more. */
  reading(): Promise<void> | undefined;
};

type Options = {
  /** The owner's current memory; undefined while there is none. */
  memory: () => LedgerMemory | undefined;
  source: (deadline: number) => LedgerSource;
  /** Puts commands back, in this order, in front of all later ones. */
  putBack: (commands: readonly QueuedCommand[]) => void;
  now: () => number;
};

/**
 * One page in this many is read for the command that got furthest; if there were more, newer
 * commands would never catch up with it.
 */
const oldestEvery = 4;

/**
 * Holds the commands for which the ledger has to be read back, so that other commands need not
 * wait. Each waits until its own deadline.
 */
export function createDeferred({ memory, source, putBack, now }: Options): DeferredCommands {
  /** Waiting commands by subject, in the order of arrival. */
  const waitingAbout = new Map<string, QueuedCommand[]>();
  let reading: Promise<void> | undefined;

  /**
   * Puts back commands that can be decided now, with all that wait behind them, and drops those
   * whose deadline is over.
   */
  const releaseReady = (current: LedgerMemory | undefined) => {
    const ready: QueuedCommand[] = [];
    for (const [subject, commands] of waitingAbout) {
      const left = commands.filter(({ answered, deadline }) => !answered && deadline > now());
      const [first] = left;
      if (!first || !current || isRecorded(current, first.request)) {
        waitingAbout.delete(subject);
        ready.push(...left);
      } else waitingAbout.set(subject, left);
    }
    if (ready.length > 0) putBack(ready);
  };

  const read = async () => {
    try {
      for (let pages = 1; ; pages += 1) {
        // All of a batch are added before the first is put back.
        await turn();
        const current = memory();
        releaseReady(current);
        const all = [...waitingAbout.values()];
        if (!current || all.length === 0) return;
        const due = all.flatMap(([first]) => (first ? [first.request] : []));
        const deadline = Math.max(...all.flat().map((waiting) => waiting.deadline));
        await readFurther(source(deadline), current, {
          due,
          from: pages % oldestEvery === 0 ? 'oldest' : 'newest',
        });
      }
    } catch (error) {
      const failed = [...waitingAbout.values()].flat().filter(({ answered }) => !answered);
      waitingAbout.clear();
      for (const waiting of failed) {
        if (error instanceof ReadFailed) waiting.answer({ outcome: 'undecided', cause: error });
        else waiting.fail(error);
      }
    } finally {
      reading = undefined;
    }
  };

  return {
    add: (waiting) => {
      const subject = commandSubject(waiting.request);
      const commands = waitingAbout.get(subject);
      if (commands) commands.push(waiting);
      else waitingAbout.set(subject, [waiting]);
      reading ??= read();
    },
    holdBack: (batch) =>
      batch.filter((waiting) => {
        const commands = waitingAbout.get(commandSubject(waiting.request));
        if (!commands?.some(({ answered }) => !answered)) return true;
        commands.push(waiting);
        return false;
      }),
    count: () => [...waitingAbout.values()].reduce((sum, { length }) => sum + length, 0),
    reading: () => reading,
  };
}
