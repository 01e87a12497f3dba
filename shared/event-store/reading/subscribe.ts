import type { LogItem, SubscribeRequest } from '../types.ts';
import { asClientError } from './client-error.ts';
import { cancel } from './collect.ts';
import type { ReadAnswer } from './decode.ts';
import type { ReadCall } from './open.ts';
import { toStoredEvent } from './stored-event.ts';

const defaultMaxBatch = 500;
/** Items read ahead of the consumer; past it the subscription is paused, and HTTP/2 holds the server back. */
const bufferBatches = 2;

/** A subscription as batches: whatever has arrived, up to `maxBatch`, while the consumer worked on the last one. */
export async function* subscribeInBatches(
  open: () => Promise<ReadCall>,
  { filter, maxBatch = defaultMaxBatch, signal }: SubscribeRequest,
): AsyncGenerator<LogItem[]> {
  if (signal.aborted) return;
  let items: LogItem[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = Promise.withResolvers<void>();
  let call: ReadCall | undefined;

  const push = (item: LogItem) => {
    const last = items.at(-1);
    if (item.kind === 'checkpoint' && last?.kind === 'checkpoint') items[items.length - 1] = item;
    else items.push(item);
    if (items.length >= maxBatch * bufferBatches) call?.pause();
    wake.resolve();
  };
  const take = (answer: ReadAnswer) => {
    if (answer.kind === 'event') push(itemOf(answer, filter));
    // A page without a match is reported by its start, with another prepare: no place to go on from.
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
  const opening = open();
  const begin = (opened: ReadCall) => {
    call = opened;
    call.on('data', take);
    call.on('error', (error) => end(asClientError(error)));
    call.on('end', () => end(new Error('the event store ended the subscription')));
  };
  opening.then(begin, end);

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

/** What the store did not sort out, because it filters by one thing at a time, is only a place that was passed. */
function itemOf(
  { event }: Extract<ReadAnswer, { kind: 'event' }>,
  filter: SubscribeRequest['filter'],
): LogItem {
  const wanted = filter?.streamPrefixes.some((prefix) => event.stream.startsWith(prefix)) ?? true;
  return wanted
    ? { kind: 'event', event: toStoredEvent(event) }
    : { kind: 'checkpoint', position: BigInt(event.position) };
}
