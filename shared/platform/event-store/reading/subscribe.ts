import { isWanted, passedItem } from '../checkpoint.ts';
import type { LogItem, SubscribeRequest } from '../types.ts';
import { asClientError, isTooSlow, StoreUnavailable } from '../store-unavailable.ts';
import { cancelRead } from './collect.ts';
import type { ReadAnswer } from './decode.ts';
import type { ReadCall } from './open.ts';
import { toStoredEvent } from './stored-event.ts';

const defaultMaxBatch = 500;
/**
 * Batches that are read ahead of the consumer. Beyond that the subscription is paused, and HTTP/2
 * stops the server.
 */
const bufferBatches = 2;

/**
 * After this many calls without an item, which the store ended because they were too slow, the
 * follower has to pause.
 */
const maxCallsWithoutItem = 3;

type SubscriptionOptions = {
  /** Prefixes of the streams that are never deleted or truncated. */
  readonly lasting?: readonly string[];
  readonly onTooSlow?: () => void;
  readonly toEvent?: typeof toStoredEvent;
};

/** Begins a subscription after a position. */
type OpenAfter = (after: bigint | undefined) => Promise<ReadCall>;

/**
 * A subscription as batches: each has all items, up to `maxBatch`, that arrived while the consumer
 * worked on the last one. If the store ends the subscription because it is too slow, it continues
 * at once after the last item that had arrived.
 */
export async function* subscribeInBatches(
  open: OpenAfter,
  request: SubscribeRequest,
  options: SubscriptionOptions = {},
): AsyncGenerator<LogItem[]> {
  const { signal } = request;
  if (signal.aborted) return;
  const incoming = new IncomingItems(open, request, options);
  const onAbort = () => incoming.end();
  signal.addEventListener('abort', onAbort);
  incoming.connect();
  try {
    for (;;) {
      if (signal.aborted) return;
      const batch = incoming.takeBatch();
      if (batch) yield batch;
      else if (incoming.isOver()) return;
      else await incoming.more();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    incoming.close();
  }
}

/** Received items of a subscription that are not yet consumed, over any number of calls. */
class IncomingItems {
  readonly #open: OpenAfter;
  readonly #request: SubscribeRequest;
  readonly #maxBatch: number;
  readonly #options: Required<SubscriptionOptions>;
  /** The position of the last item received. */
  #position: bigint | undefined;
  /** The number of calls in a row that the store has ended without an item. */
  #callsWithoutItem = 0;
  #items: LogItem[] = [];
  #ended: { error?: unknown } | undefined;
  #wake: PromiseWithResolvers<void> | undefined;
  #call: ReadCall | undefined;
  #opening: Promise<ReadCall> | undefined;

  constructor(open: OpenAfter, request: SubscribeRequest, options: SubscriptionOptions) {
    this.#open = open;
    this.#request = request;
    this.#maxBatch = request.maxBatch ?? defaultMaxBatch;
    this.#options = {
      lasting: [],
      onTooSlow: () => undefined,
      toEvent: toStoredEvent,
      ...options,
    };
    this.#position = request.after;
  }

  connect(): void {
    const opening = this.#open(this.#position);
    this.#opening = opening;
    /** Items that an earlier call still delivers are repeated on this one. */
    const isCurrent = () => this.#opening === opening;
    const begin = (call: ReadCall) => {
      this.#call = call;
      call.on('data', (answer) => isCurrent() && this.#take(answer));
      call.on('error', (error) => isCurrent() && this.#fail(error));
      call.on(
        'end',
        () =>
          isCurrent() && this.end(new StoreUnavailable('the event store ended the subscription')),
      );
    };
    opening.then(begin, (error: unknown) => this.end(error));
  }

  /** Undefined if nothing was received. */
  takeBatch(): LogItem[] | undefined {
    if (this.#items.length === 0) return undefined;
    const batch = this.#items.splice(0, this.#maxBatch);
    if (this.#call?.isPaused()) this.#call.resume();
    return batch;
  }

  /** Whether it has ended. @throws what ended it */
  isOver(): boolean {
    if (this.#ended?.error !== undefined) throw this.#ended.error;
    return this.#ended !== undefined;
  }

  /** Resolves at the next item or the end. Called only if there is neither yet. */
  more(): Promise<void> {
    this.#wake = Promise.withResolvers();
    return this.#wake.promise;
  }

  end(error?: unknown): void {
    this.#ended ??= error === undefined ? {} : { error };
    this.#wake?.resolve();
  }

  close(): void {
    this.#items = [];
    if (this.#opening) cancelRead(this.#opening);
  }

  #take(answer: ReadAnswer): void {
    if (answer.kind === 'event')
      this.#push(toFeedItem(answer, this.#request.filter, this.#options));
    // A page without a match is reported by its start, with another prepare position: the
    // subscription can't be continued from there.
    else if (answer.kind === 'checkpoint' && answer.commit === answer.prepare)
      this.#push({ kind: 'checkpoint', position: BigInt(answer.commit) });
    else if (answer.kind === 'caught_up') this.#push({ kind: 'caught_up' });
  }

  #push(item: LogItem): void {
    const items = this.#items;
    if (item.kind === 'checkpoint' && items.at(-1)?.kind === 'checkpoint')
      items[items.length - 1] = item;
    else items.push(item);
    if (item.kind !== 'caught_up') {
      this.#position = item.kind === 'event' ? item.event.position : item.position;
      this.#callsWithoutItem = 0;
    }
    if (items.length >= this.#maxBatch * bufferBatches) this.#call?.pause();
    this.#wake?.resolve();
  }

  #fail(error: unknown): void {
    this.#callsWithoutItem += 1;
    if (
      !isTooSlow(error) ||
      this.#callsWithoutItem > maxCallsWithoutItem ||
      this.#request.signal.aborted
    ) {
      this.end(asClientError(error));
      return;
    }
    this.#options.onTooSlow();
    this.connect();
  }
}

/**
 * The store filters by stream or by type, not both. An item that it should have left out becomes a
 * checkpoint.
 */
function toFeedItem(
  { event }: Extract<ReadAnswer, { kind: 'event' }>,
  filter: SubscribeRequest['filter'],
  { lasting, toEvent }: Required<SubscriptionOptions>,
): LogItem {
  return isWanted(event, filter)
    ? { kind: 'event', event: toEvent(event) }
    : passedItem(event, BigInt(event.position), lasting);
}
