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
export type OpenAfter = (after: bigint | undefined) => Promise<ReadCall>;

/**
 * A subscription as batches: whatever has arrived, up to `maxBatch`, while the consumer worked on
 * the last one. One that the store ends for being too slow goes on from what had arrived, at once.
 */
export async function* subscribeInBatches(
  open: OpenAfter,
  { after, filter, maxBatch = defaultMaxBatch, signal }: SubscribeRequest,
  onTooSlow: () => void = () => undefined,
): AsyncGenerator<LogItem[]> {
  if (signal.aborted) return;
  /**
   * Where the last item stood that came, and how often the store has ended a call on which none
   * did.
   */
  let [position, inVain] = [after, 0];
  let items: LogItem[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  let call: ReadCall | undefined;

  const push = (item: LogItem) => {
    const last = items.at(-1);
    if (item.kind === 'checkpoint' && last?.kind === 'checkpoint') items[items.length - 1] = item;
    else items.push(item);
    if (item.kind !== 'caught_up') {
      position = item.kind === 'event' ? item.event.position : item.position;
      inVain = 0;
    }
    if (items.length >= maxBatch * bufferBatches) call?.pause();
    wake.resolve();
  };
  const take = (answer: ReadAnswer) => {
    if (answer.kind === 'event') push(itemOf(answer, filter));
    // A page without a match is reported by its start, with another prepare: no place to go on
    // from.
    else if (answer.kind === 'checkpoint' && answer.commit === answer.prepare)
      push({ kind: 'checkpoint', position: BigInt(answer.commit) });
    else if (answer.kind === 'caught_up') push({ kind: 'caught_up' });
  };
  const end = (error?: unknown) => {
    ended ??= error === undefined ? {} : { error };
    wake.resolve();
  };
  const onAbort = () => end();
  signal.addEventListener('abort', onAbort);
  const connect = (): Promise<ReadCall> => {
    const mine = open(position);
    /** What an earlier call still says comes again on this one. */
    const ifCurrent =
      <T>(act: (value: T) => void) =>
      (value: T) => {
        if (opening === mine) act(value);
      };
    const begin = (opened: ReadCall) => {
      call = opened;
      call.on('data', ifCurrent(take));
      call.on('error', ifCurrent(fail));
      call.on('end', ifCurrent(stop));
    };
    mine.then(begin, end);
    return mine;
  };
  const stop = () => end(new StoreAway('the event store ended the subscription'));
  const fail = (error: unknown) => {
    inVain += 1;
    if (!isTooSlow(error) || inVain > maxInVain || signal.aborted) {
      end(asClientError(error));
      return;
    }
    onTooSlow();
    opening = connect();
  };
  let opening = connect();

  try {
    for (;;) {
      if (signal.aborted) return;
      if (items.length === 0) {
        if (ended?.error !== undefined) throw ended.error;
        if (ended) return;
        await wake.promise;
        wake = Promise.withResolvers<void>();
        continue;
      }
      const batch = items.splice(0, maxBatch);
      if (call?.isPaused()) call.resume();
      yield batch;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    items = [];
    cancel(opening);
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
