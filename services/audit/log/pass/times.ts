import { logStream } from '#shared/domain/log/events.ts';
import {
  createdMs,
  millisecondsIn,
  type RawEvent,
} from '#shared/platform/event-store/reading/raw-event.ts';
import { canHoldTime } from '#shared/platform/event-store/reading/recorded-before.ts';

/**
 * When each event was recorded. A copy of another log begins with events that name their time in
 * that log, up to `LogMoved`; anywhere else the time that an event names proves nothing.
 */
export function createTimes() {
  let isCopy = true;
  let copied = 0;

  const findProblem = (event: RawEvent): string | undefined => {
    if (event.storeTicks !== undefined) {
      copied += 1;
      if (isCopy) return undefined;
      const named = new Date(createdMs(event)).toISOString();
      return `it names ${named} as its time, but the log was not moved here after it`;
    }
    // The store's own events, and metadata that can't hold a time.
    if (event.stream.startsWith('$') || !canHoldTime(event)) return undefined;
    const endsCopy = isCopy && copied > 0;
    isCopy = false;
    return endsCopy && (event.stream !== logStream || event.type !== 'LogMoved')
      ? `it follows ${copied} events of another log, which was never moved here`
      : undefined;
  };

  return {
    /** `atMs`: in epoch milliseconds; by the store if what the event names is not believed. */
    read: (event: RawEvent): { atMs: number; problem: string | undefined } => {
      const problem = findProblem(event);
      const { storeTicks } = event;
      const isBelieved = problem === undefined || storeTicks === undefined;
      return { problem, atMs: isBelieved ? createdMs(event) : millisecondsIn(storeTicks) };
    },
  };
}
