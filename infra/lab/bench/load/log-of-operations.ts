import { openStore, type NodeStore } from '#infra/event-store-node/storage/open-store.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { busyLog } from '#services/audit/testing/busy-log.ts';

/** Of five operations four are payments with six events, and one is a payout with nine. */
const eventsOfOperation = 6.6;

/**
 * Writes a log of completed operations, rounded up to the next 500, into the folder of a node
 * that does not run.
 * @returns how many events, and their bytes of data and metadata
 */
export async function writeOperations(
  directory: string,
  operations: number,
): Promise<{ events: number; bytes: number }> {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const store = openStore(directory, { onFatal: reject, onRefused: reject });
  try {
    return await Promise.race([write(store, operations), failed]);
  } finally {
    store.writes.close();
    store.close();
  }
}

async function write({ writes }: NodeStore, operations: number) {
  const total = { events: 0, bytes: 0 };
  let unanswered = 0;
  let allAnswered: (() => void) | undefined;
  for (const append of appendsOf(busyLog(operations * eventsOfOperation))) {
    const events = append.map(({ id, type, data, metadata }) => ({
      id: Buffer.from(id.replaceAll('-', ''), 'hex'),
      type,
      contentType: 'application/json',
      data,
      metadata,
    }));
    const bytes = append.reduce((sum, each) => sum + each.data.length + each.metadata.length, 0);
    total.events += events.length;
    total.bytes += bytes;
    unanswered += 1;
    const { stream = '' } = append[0] ?? {};
    writes.push({
      request: { kind: 'append', stream, expected: { kind: 'any' }, events },
      bytes,
      expiresAtMs: Number.POSITIVE_INFINITY,
      onResult: () => {
        if ((unanswered -= 1) === 0) allAnswered?.();
      },
    });
    if (writes.isFull()) await new Promise<void>((resolve) => writes.onRoom(resolve));
  }
  await new Promise<void>((resolve) => {
    allAnswered = resolve;
    if (unanswered === 0) resolve();
  });
  return total;
}

/** Adjacent events of a stream are one append. */
function* appendsOf(log: Iterable<RawEvent>): Generator<RawEvent[]> {
  let append: RawEvent[] = [];
  for (const event of log) {
    if (append.length > 0 && append[0]?.stream !== event.stream) {
      yield append;
      append = [];
    }
    append.push(event);
  }
  if (append.length > 0) yield append;
}
