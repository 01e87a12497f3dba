import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { personalKeyPrefix } from '#shared/domain/personal-data/events.ts';
import { StoreUnavailable } from '#shared/platform/event-store/store-unavailable.ts';
import { CopyCursor } from './cursor.ts';
import { fillerFor, isShortened } from '#shared/application/log/filler.ts';
import {
  readHeadRevision,
  isTombstone,
  type CopyLogs,
  type CopySource,
  type MoveLog,
} from './logs.ts';

type Limits = { maxEvents: number; onCopied(event: RawEvent): void; signal: AbortSignal };

/** Neighbours of one stream in one append: the store takes 1 MiB. */
const mostTogether = { events: 200, bytes: 512 * 1024 };
/** Concurrent appends. They are sent in order over one call, and written in order. */
const mostUnanswered = 128;
const mostBytesUnanswered = 4 * 1024 * 1024;
const answerWithinMs = 10_000;
const readTogether = 500;

/**
 * Appends what the source has after a position to the target, in its order. @throws at the first
 * append without a success, once no other one is on its way: the target then shows how far it went
 */
export async function copyAfter(
  { source, target }: CopyLogs,
  after: number,
  { maxEvents, onCopied, signal }: Limits,
): Promise<void> {
  const cursor = new CopyCursor(source.raw, after);
  const line = new Pipeline(target, onCopied);
  let ahead = nextRemaining(cursor, source);
  try {
    for (let copied = 0; copied < maxEvents && !signal.aborted;) {
      const { read, remaining } = await ahead;
      if (read === 0) break;
      copied += read;
      // Read while these are sent; an error is thrown when it is their turn.
      ahead = nextRemaining(cursor, source);
      ahead.catch(() => undefined);
      for (const group of grouped(remaining)) await line.send(group);
    }
    await line.settled();
  } finally {
    await line.quiet();
    await ahead.catch(() => undefined);
    await cursor.close();
  }
}

/** How many events come next, and those of them that are copied. */
export async function nextRemaining(cursor: CopyCursor, source: CopySource) {
  const events = await nextEvents(cursor);
  const destroyed = await destroyedAmong(events, source);
  const isCopied = (event: RawEvent) => isTombstone(event) || !destroyed.has(event.stream);
  return { read: events.length, remaining: events.filter(isCopied) };
}

async function nextEvents(cursor: CopyCursor): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  while (events.length < readTogether && (cursor.current !== undefined || (await cursor.more()))) {
    events.push(cursor.current as RawEvent);
    cursor.advance();
  }
  return events;
}

/** The keys of clients that were erased, of whose streams only the tombstone is copied. */
async function destroyedAmong(
  events: readonly RawEvent[],
  source: CopySource,
): Promise<Set<string>> {
  const keys = events.filter(
    (event) => event.stream.startsWith(personalKeyPrefix) && !isTombstone(event),
  );
  const streams = [...new Set(keys.map(({ stream }) => stream))];
  const deleted = await Promise.all(streams.map((stream) => source.isDeleted(stream)));
  return new Set(streams.filter((_, index) => deleted[index]));
}

/** Neighbours of one stream, as long as they fit into an append. */
function* grouped(events: readonly RawEvent[]): Generator<[RawEvent, ...RawEvent[]]> {
  let group: RawEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const before = group.at(-1);
    const fits =
      before?.stream === event.stream &&
      before.revision + 1 === event.revision &&
      group.length < mostTogether.events &&
      bytes + event.data.length <= mostTogether.bytes;
    if (!fits && group.length > 0) {
      yield group as [RawEvent, ...RawEvent[]];
      [group, bytes] = [[], 0];
    }
    group.push(event);
    bytes += event.data.length;
  }
  if (group.length > 0) yield group as [RawEvent, ...RawEvent[]];
}

/** Appends on their way, in order; after the first that fails it sends none. */
class Pipeline {
  readonly #target: MoveLog;
  readonly #onCopied: (event: RawEvent) => void;
  #unanswered = 0;
  #bytes = 0;
  /** Resolves at the next answer: one promise for all appends in flight. */
  #answered: PromiseWithResolvers<void> | undefined;
  #failed: { error: unknown } | undefined;
  #first = true;

  constructor(target: MoveLog, onCopied: (event: RawEvent) => void) {
    this.#target = target;
    this.#onCopied = onCopied;
  }

  async send(events: [RawEvent, ...RawEvent[]]): Promise<void> {
    const [first] = events;
    if (isTombstone(first)) {
      await this.settled();
      await within(answerWithinMs, this.#target.tombstone(first));
      return this.#onCopied(first);
    }
    if (isShortened(first)) await this.#fillBefore(first);
    while (this.#unanswered >= mostUnanswered || this.#bytes > mostBytesUnanswered)
      await this.#answer();
    this.#throwFailure();
    this.#add(first, events);
    // From then on the call is open and preserves the order.
    if (this.#first) await this.settled();
    this.#first = false;
  }

  /** Resolves when all that was sent is written. @throws the first failure */
  async settled(): Promise<void> {
    await this.quiet();
    this.#throwFailure();
  }

  /** Nothing is on its way any more. */
  async quiet(): Promise<void> {
    while (this.#unanswered > 0) await this.#answer();
  }

  #answer(): Promise<void> {
    return (this.#answered ??= Promise.withResolvers()).promise;
  }

  #throwFailure(): void {
    if (this.#failed) throw this.#failed.error;
  }

  #add({ stream, revision }: RawEvent, events: readonly RawEvent[]): void {
    const bytes = events.reduce(
      (sum, { data, metadata }) => sum + data.length + metadata.length,
      0,
    );
    this.#bytes += bytes;
    this.#unanswered += 1;
    const appended = this.#target.copy({ stream, expectedRevision: revision - 1, events });
    const note = () => {
      this.#bytes -= bytes;
      this.#unanswered -= 1;
      this.#answered?.resolve();
      this.#answered = undefined;
    };
    void within(answerWithinMs, appended)
      .then(
        () => events.forEach((event) => this.#onCopied(event)),
        (error: unknown) => void (this.#failed ??= { error }),
      )
      .finally(note);
  }

  async #fillBefore(event: RawEvent): Promise<void> {
    await this.settled();
    const head = await readHeadRevision(this.#target, event.stream);
    for (let revision = head + 1; revision < event.revision; revision += 1) {
      const filler = fillerFor(event, revision);
      this.#add(filler, [filler]);
      await this.settled();
    }
  }
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new StoreUnavailable(`the target did not answer in ${timeoutMs} ms`));
  const timer = setTimeout(late, timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
