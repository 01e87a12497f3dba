import type { OpenRead, ReadCall } from './open.ts';
import type { ReadQuestion } from './encode.ts';
import type { RawEvent } from './raw-event.ts';
import { asClientError, StoreUnavailable } from '../store-unavailable.ts';

/**
 * All events of a read; none if the stream does not exist. The client ignores a deadline for reads,
 * so it is enforced here. After the deadline, further answers are read and dropped: otherwise the
 * call would stay open, and the client could not close.
 * @throws the client's error for a refusal of the store, or an error that there was no answer in
 * time
 */
export async function collect(
  open: OpenRead,
  question: ReadQuestion & { maxCount: number },
  deadlineMs: number,
): Promise<RawEvent[]> {
  const { promise, resolve, reject } = Promise.withResolvers<RawEvent[]>();
  const opening = open(question);
  const timer = setTimeout(() => {
    reject(new StoreUnavailable(`no answer from the event store within ${deadlineMs} ms`));
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
 * Ends a call, also one that is still being opened; in a separate turn of the event loop, because
 * the call may have just begun.
 */
export function cancel(opening: Promise<ReadCall>): void {
  opening.then(
    (call) => setImmediate(() => call.cancel()),
    () => undefined,
  );
}
