import { passedItem } from '../checkpoint.ts';
import type { LogItem, SubscribeRequest } from '../types.ts';
import { asClientError } from '../codec.ts';
import { isTooSlow, StoreUnavailable } from '../store-unavailable.ts';
import { cancel } from './collect.ts';
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
const maxInVain = 3;

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
  onTooSlow: () => void = () => undefined,
): AsyncGenerator<LogItem[]> {
  const { signal } = request;
  if (signal.aborted) return;
  const arrivals = new Arrivals(open, request, onTooSlow);
  const onAbort = () => arrivals.end();
  signal.addEventListener('abort', onAbort);
  arrivals.connect();
  try {
    for (;;) {
      if (signal.aborted) return;
      const batch = arrivals.takeBatch();
      if (batch) yield batch;
      else if (arrivals.isOver()) return;
      else await arrivals.more();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    arrivals.close();
  }
}

/** Items of a subscription that have arrived and were not taken yet, over any number of calls. */
class Arrivals {
  readonly #open: OpenAfter;
  readonly #request: SubscribeRequest;
  readonly #maxBatch: number;
  readonly #onTooSlow: () => void;
  /** The position of the last item that arrived. */
  #position: bigint | undefined;
  /** How many calls in a row the store has ended without an item. */
  #inVain = 0;
  #items: LogItem[] = [];
  #ended: { error?: unknown } | undefined;
  #wake: PromiseWithResolvers<void> | undefined;
  #call: ReadCall | undefined;
  #opening: Promise<ReadCall> | undefined;

  constructor(open: OpenAfter, request: SubscribeRequest, onTooSlow: () => void) {
    this.#open = open;
    this.#request = request;
    this.#maxBatch = request.maxBatch ?? defaultMaxBatch;
    this.#onTooSlow = onTooSlow;
    this.#position = request.after;
  }

  connect(): void {
    const mine = this.#open(this.#position);
    this.#opening = mine;
    /** Items that an earlier call still delivers come again on this one. */
    const isCurrent = () => this.#opening === mine;
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
    mine.then(begin, (error: unknown) => this.end(error));
  }

  /** Undefined if nothing has arrived. */
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

  /** Resolves once something has arrived, or it is over. Asked only when neither is so already. */
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
    if (this.#opening) cancel(this.#opening);
  }

  #take(answer: ReadAnswer): void {
    if (answer.kind === 'event') this.#push(itemOf(answer, this.#request.filter));
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
      this.#inVain = 0;
    }
    if (items.length >= this.#maxBatch * bufferBatches) this.#call?.pause();
    this.#wake?.resolve();
  }

  #fail(error: unknown): void {
    this.#inVain += 1;
    if (!isTooSlow(error) || this.#inVain > maxInVain || this.#request.signal.aborted) {
      this.end(asClientError(error));
      return;
    }
    this.#onTooSlow();
    this.connect();
  }
}

/**
 * The store filters by stream or by type, not both. An item that it should have left out becomes a
 * checkpoint.
 */
function itemOf(
  { event }: Extract<ReadAnswer, { kind: 'event' }>,
  filter: SubscribeRequest['filter'],
): LogItem {
  const wanted = filter?.streamPrefixes.some((prefix) => event.stream.startsWith(prefix)) ?? true;
  return wanted
    ? { kind: 'event', event: toStoredEvent(event) }
    : passedItem(event, BigInt(event.position));
}
