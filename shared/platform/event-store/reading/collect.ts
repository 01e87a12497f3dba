import type { OpenRead, ReadCall } from './open.ts';
import type { ReadQuestion } from './encode.ts';
import type { RawEvent } from './raw-event.ts';
import { asClientError } from '../codec.ts';
import { StoreAway } from '../store-away.ts';

/**
 * All events that a read gives, to its end; none for a stream that there is not. The client ignores
 * a deadline for reads, so this is where they end when the store does not answer. What still comes
 * then is taken and dropped: unread, it would hold the call open, and the client's end with it.
 * @throws what the client throws for the store's refusal, or that there was no answer in time
 */
export async function collect(
  open: OpenRead,
  question: ReadQuestion & { maxCount: number },
  deadlineMs: number,
): Promise<RawEvent[]> {
  const { promise, resolve, reject } = Promise.withResolvers<RawEvent[]>();
  const opening = open(question);
  const timer = setTimeout(() => {
    reject(new StoreAway(`no answer from the event store within ${deadlineMs} ms`));
    cancel(opening);
  }, deadlineMs);
  const begin = (call: ReadCall) => {
    const events: RawEvent[] = [];
    call.on('data', (answer) => {
      if (answer.kind === 'event') events.push(answer.event);
    });
    call.on('end', () => resolve(events));
    call.on('error', (error) => reject(asClientError(error)));
  };
  opening.then(begin, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Ends a call, or one that is only about to be made; in a turn of its own, for a call that has just
 * begun.
 */
export function cancel(opening: Promise<ReadCall>): void {
  opening.then(
    (call) => setImmediate(() => call.cancel()),
    () => undefined,
  );
}
