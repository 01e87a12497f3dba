import { parseConnectionString } from '../connection-string.ts';
import { asClientError, isStreamDeleted } from '../store-unavailable.ts';
import { createReads, type ReadCall } from './open.ts';
import type { RawEvent } from './raw-event.ts';

/** The log, with its events as stored bytes. */
export type RawLog = {
  /**
   * Batches of the events after a position, in the log's order, up to its end. 0 reads from the
   * start. @throws when the store does not answer
   */
  read(after: number): AsyncIterable<RawEvent[]>;
  /**
   * The position of the newest event, 0 when there is none. @throws when the store does not answer
   */
  head(): Promise<number>;
  /** All events of a stream, in order; none if it does not exist or was deleted. @throws */
  stream(name: string): Promise<RawEvent[]>;
  /** The event at a position. @throws when the store does not answer */
  at(position: number): Promise<RawEvent | undefined>;
  close(): Promise<void>;
};

const maxBatch = 500;
/** Events to read ahead of the consumer; then HTTP/2 flow control pauses the store. */
const maxAhead = 2_000;
/** After this long without an answer the store counts as down. */
const silenceMs = 30_000;
const allThatThereIs = Number.MAX_SAFE_INTEGER;

/** Connects by connection string, as every other reader does. */
export function connectRawLog(connectionString: string): RawLog {
  const client = parseConnectionString(connectionString);
  const open = createReads(client);
  const one = async (call: Promise<ReadCall>) => {
    for await (const batch of batches(await call)) return batch[0];
    return undefined;
  };
  return {
    read: async function* (after) {
      const from = after === 0 ? 'start' : after;
      for await (const batch of batches(await open({ from, maxCount: allThatThereIs }))) {
        // A read from a position includes the event at that position.
        const fresh = batch[0] && batch[0].position <= after ? batch.slice(1) : batch;
        if (fresh.length > 0) yield fresh;
      }
    },
    head: async () =>
      (await one(open({ from: 'end', direction: 'backwards', maxCount: 1 })))?.position ?? 0,
    stream: async (name) => {
      const events: RawEvent[] = [];
      try {
        const call = await open({ stream: name, from: 'start', maxCount: allThatThereIs });
        for await (const batch of batches(call)) events.push(...batch);
      } catch (error) {
        if (!isStreamDeleted(error)) throw error;
      }
      return events;
    },
    at: (position) => one(open({ from: position === 0 ? 'start' : position, maxCount: 1 })),
    close: () => client.dispose(),
  };
}

async function* batches(call: ReadCall): AsyncGenerator<RawEvent[]> {
  let events: RawEvent[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  const end = (error?: unknown) => {
    ended ??= error === undefined ? {} : { error };
    wake.resolve();
  };
  call.on('data', (answer) => {
    if (answer.kind !== 'event') return;
    events.push(answer.event);
    if (events.length >= maxAhead) call.pause();
    if (events.length >= maxBatch) wake.resolve();
  });
  call.on('error', (error) => end(asClientError(error)));
  call.on('end', () => end());
  try {
    for (;;) {
      if (events.length >= maxBatch || (ended && events.length > 0)) {
        const batch = events;
        events = [];
        if (call.isPaused()) call.resume();
        yield batch;
        continue;
      }
      if (ended?.error !== undefined) throw ended.error;
      if (ended) return;
      const silence = setTimeout(
        () => end(new Error(`the event store has not answered for ${silenceMs / 1000} s`)),
        silenceMs,
      );
      await wake.promise;
      clearTimeout(silence);
      wake = Promise.withResolvers<void>();
    }
  } finally {
    call.cancel();
  }
}
