import { setImmediate as turn } from 'node:timers/promises';
import { subjectOf } from '#shared/domain/ledger/reference.ts';
import { isKnown, readFurther } from './look-back.ts';
import type { Memory } from './memory.ts';
import type { Waiting } from './queue.ts';
import { ReadFailed, type Source } from './reading.ts';

export type Aside = {
  /** Takes a command about which the memory does not know enough. */
  add(waiting: Waiting): void;
  /** Keeps those of a batch that must not overtake what waits here about the same thing, and returns the others. */
  hold(batch: readonly Waiting[]): Waiting[];
  count(): number;
  /** What is being read, until nothing waits any more. */
  reading(): Promise<void> | undefined;
};

export type AsideOptions = {
  /** The owner's, which changes; none while nothing is known. */
  memory: () => Memory | undefined;
  source: (deadline: number) => Source;
  /** Takes commands back, in this order, in front of all that came later. */
  putBack: (commands: readonly Waiting[]) => void;
  now: () => number;
};

/** Of so many pages one is for who has come furthest; more, and those who came last would never meet them. */
const oldestEvery = 4;

/**
 * Commands that wait while the ledger is read back for them, so that their owner need not. Each until its own deadline:
 * for who gave up nothing is read.
 */
export function createAside({ memory, source, putBack, now }: AsideOptions): Aside {
  /** What waits, by what it is about and in the order in which it came. */
  const waitingAbout = new Map<string, Waiting[]>();
  let reading: Promise<void> | undefined;

  /** Lets go who gave up, and those that can be decided, with all that wait behind them. */
  const letGo = (known: Memory | undefined) => {
    const ready: Waiting[] = [];
    for (const [subject, commands] of waitingAbout) {
      const left = commands.filter(({ answered, deadline }) => !answered && deadline > now());
      const [first] = left;
      if (!first || !known || isKnown(known, first.request)) {
        waitingAbout.delete(subject);
        ready.push(...left);
      } else waitingAbout.set(subject, left);
    }
    if (ready.length > 0) putBack(ready);
  };

  const read = async () => {
    try {
      for (let pages = 1; ; pages += 1) {
        // All of a batch come before the first is let go.
        await turn();
        const known = memory();
        letGo(known);
        const all = [...waitingAbout.values()];
        if (!known || all.length === 0) return;
        const owed = all.flatMap(([first]) => (first ? [first.request] : []));
        const deadline = Math.max(...all.flat().map((waiting) => waiting.deadline));
        await readFurther(source(deadline), known, {
          owed,
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
      const subject = subjectOf(waiting.request);
      const commands = waitingAbout.get(subject);
      if (commands) commands.push(waiting);
      else waitingAbout.set(subject, [waiting]);
      reading ??= read();
    },
    hold: (batch) =>
      batch.filter((waiting) => {
        const commands = waitingAbout.get(subjectOf(waiting.request));
        if (!commands?.some(({ answered }) => !answered)) return true;
        commands.push(waiting);
        return false;
      }),
    count: () => [...waitingAbout.values()].reduce((sum, { length }) => sum + length, 0),
    reading: () => reading,
  };
}
