import type { OpenRead, ReadCall } from './open.ts';
import type { ReadQuestion } from './encode.ts';
import type { RawEvent } from './raw-event.ts';
import { asClientError, StoreUnavailable } from '../store-unavailable.ts';

/** Registers what repeats a read; returns what ends that. */
export type OnReturn = (repeat: () => void) => () => void;

/**
 * All events of a read; none if the stream does not exist. The client ignores a deadline for reads,
 * so it is enforced here. After the deadline, further answers are read and dropped: otherwise the
 * call would stay open, and the client could not close. The read is sent again when the store
 * returns from an outage: a server that starts may drop what it receives, and never answers it.
 * @throws the client's error for a refusal of the store, or an error that there was no answer in
 * time
 */
export async function collectEvents(
  open: OpenRead,
  question: ReadQuestion & { maxCount: number },
  deadlineMs: number,
  onReturn: OnReturn = () => () => undefined,
): Promise<RawEvent[]> {
  const { promise, resolve, reject } = Promise.withResolvers<RawEvent[]>();
  let current: Promise<ReadCall>;
  const send = () => {
    const opening = open(question);
    current = opening;
    const fail = (error: unknown) => {
      if (opening === current) reject(error);
    };
    const begin = (call: ReadCall) => {
      const events: RawEvent[] = [];
      call.on('data', (answer) => {
        if (answer.kind === 'event') events.push(answer.event);
      });
      // A call that was cancelled ends, too, and without events it would be an absent stream.
      call.on('end', () => {
        if (opening === current) resolve(events);
      });
      call.on('error', (error) => fail(asClientError(error)));
    };
    opening.then(begin, fail);
  };
  send();
  const timer = setTimeout(() => {
    reject(new StoreUnavailable(`no answer from the event store within ${deadlineMs} ms`));
    cancelRead(current);
  }, deadlineMs);
  const stopRepeats = onReturn(() => {
    const earlier = current;
    send();
    cancelRead(earlier);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    stopRepeats();
  }
}

/**
 * Ends a call, also one that is still being opened; in a separate turn of the event loop, because
 * the call may have just begun.
 */
export function cancelRead(opening: Promise<ReadCall>): void {
  opening.then(
    (call) => setImmediate(() => call.cancel()),
    () => undefined,
  );
}
