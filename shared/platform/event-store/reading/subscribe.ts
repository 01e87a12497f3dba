import type { LogItem, SubscribeRequest } from '../types.ts';
import { asClientError } from '../codec.ts';
import { isTooSlow, StoreAway } from '../store-away.ts';
import { cancel } from './collect.ts';
import type { ReadAnswer } from './decode.ts';
import type { ReadCall } from './open.ts';
import { toStoredEvent } from './stored-event.ts';

const defaultMaxBatch = 500;
/**
 * Items read ahead of the consumer; past it the subscription is paused, and HTTP/2 holds the server
 * back.
 */
const bufferBatches = 2;

/**
 * Calls that brought nothing before the store ended them for being too slow: then the follower has
 * to pause.
 */
const maxInVain = 3;

/** Begins a subscription behind a position. */
type OpenAfter = (after: bigint | undefined) => Promise<ReadCall>;

/**
 * A subscription as batches: whatever has arrived, up to `maxBatch`, while the consumer worked on
 * the last one. One that the store ends for being too slow goes on from what had arrived, at once.
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

/** What has arrived of a subscription and was not taken yet, over as many calls as it takes. */
class Arrivals {
  readonly #open: OpenAfter;
  readonly #request: SubscribeRequest;
  readonly #maxBatch: number;
  readonly #onTooSlow: () => void;
  /** Where the last item stood that came. */
  #position: bigint | undefined;
  /** How often the store has ended a call on which none came. */
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
    /** What an earlier call still says comes again on this one. */
    const isCurrent = () => this.#opening === mine;
    const begin = (call: ReadCall) => {
      this.#call = call;
      call.on('data', (answer) => isCurrent() && this.#take(answer));
      call.on('error', (error) => isCurrent() && this.#fail(error));
      call.on(
        'end',
        () => isCurrent() && this.end(new StoreAway('the event store ended the subscription')),
      );
    };
    mine.then(begin, (error: unknown) => this.end(error));
  }

  /** Undefined where nothing has arrived. */
  takeBatch(): LogItem[] | undefined {
    if (this.#items.length === 0) return undefined;
    const batch = this.#items.splice(0, this.#maxBatch);
    if (this.#call?.isPaused()) this.#call.resume();
    return batch;
  }

  /** Whether nothing more comes. @throws what ended it */
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
    // A page without a match is reported by its start, with another prepare: no place to go on
    // from.
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
 * What the store did not sort out, because it filters by one thing at a time, is only a place that
 * was passed.
 */
function itemOf(
  { event }: Extract<ReadAnswer, { kind: 'event' }>,
  filter: SubscribeRequest['filter'],
): LogItem {
  const wanted = filter?.streamPrefixes.some((prefix) => event.stream.startsWith(prefix)) ?? true;
  return wanted
    ? { kind: 'event', event: toStoredEvent(event) }
    : { kind: 'checkpoint', position: BigInt(event.position) };
}
