import { setTimeout as delay } from 'node:timers/promises';
import { mayPass } from '#shared/platform/event-store/store-unavailable.ts';
import { LogComparison, NotACopy, type Digest } from './compare.ts';
import { copyAfter } from './copy.ts';
import type { CopyLogs } from './logs.ts';

export type LogCopy = {
  /**
   * Copies and compares until little is left: what is appended meanwhile. Ends early at the signal.
   * @throws NotACopy, or when a store is away for too long
   */
  catchUp(): Promise<void>;
  /** The same until nothing is left, after appends have ended. */
  copyRest(outageMs: number): Promise<void>;
  /** The number of events that both have, with the progress of each side. */
  digest(): Digest;
  events(): number;
  /** Whether an event has another position in the target, as rows of read models then have. */
  positionsDiffer(): boolean;
  close(): Promise<void>;
};

type Options = {
  signal: AbortSignal;
  /** Events that both sides are known to have. */
  onProgress?(progress: { events: number; position: number }): void;
  onTrouble?(error: unknown): void;
};

/** After this number of events the appended ones are read back and compared. */
const eventsTogether = 20_000;
/** A live log is never copied to its end: this many events are left for the next time. */
const fewEvents = 1_000;
const pauseMs = 500;
const defaultOutageMs = 60_000;

/**
 * Copies a log from the end of the target, without other state. Appended events are read back and
 * compared, so that the target shows the outcome of an unknown append.
 */
export function startCopying(logs: CopyLogs, options: Options): LogCopy {
  const { signal, onProgress = () => undefined, onTrouble = () => undefined } = options;
  const comparison = new LogComparison(logs);
  const progress = (copied = 0, position = comparison.passed) =>
    onProgress({ events: comparison.events + copied, position });

  async function step(): Promise<number> {
    await comparison.toEnd(progress);
    const [before, from] = [comparison.events, comparison.passed];
    let copied = 0;
    await copyAfter(logs, from, {
      maxEvents: eventsTogether,
      signal,
      onCopied: ({ position }) => progress((copied += 1), position),
    });
    await comparison.toEnd();
    progress();
    return comparison.events - before;
  }

  async function repeat(few: number, outageMs: number): Promise<void> {
    let [progressAt, reached] = [performance.now(), comparison.events];
    while (!signal.aborted) {
      try {
        if ((await step()) <= few) return;
      } catch (error) {
        if (error instanceof NotACopy || signal.aborted) throw error;
        if (comparison.events > reached) progressAt = performance.now();
        reached = comparison.events;
        if (!mayPass(error) || performance.now() - progressAt > outageMs) throw error;
        onTrouble(error);
        await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    catchUp: () => repeat(fewEvents, defaultOutageMs),
    copyRest: (outageMs) => repeat(0, outageMs),
    digest: () => comparison.digest(),
    events: () => comparison.events,
    positionsDiffer: () => comparison.positionsDiffer,
    close: () => comparison.close(),
  };
}
