import type { AllStreamSubscription } from '@eventstore/db-client';
import { once } from 'node:events';
import { toStoredEvent } from './stored-event.ts';
import type { LogItem, SubscribeRequest } from './types.ts';

const defaultMaxBatch = 500;
/** Items read ahead of the consumer; past it the subscription is paused, and HTTP/2 holds the server back. */
const bufferBatches = 2;

/** A subscription as batches: whatever has arrived, up to `maxBatch`, while the consumer worked on the last one. */
export async function* subscribeInBatches(
  open: (onCheckpoint: (position: bigint) => void) => AllStreamSubscription,
  { maxBatch = defaultMaxBatch, signal }: SubscribeRequest,
): AsyncGenerator<LogItem[]> {
  if (signal.aborted) return;
  let items: LogItem[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = Promise.withResolvers<void>();

  const subscription = open((position) => push({ kind: 'checkpoint', position }));
  const push = (item: LogItem) => {
    const last = items.at(-1);
    if (item.kind === 'checkpoint' && last?.kind === 'checkpoint') items[items.length - 1] = item;
    else items.push(item);
    if (items.length >= maxBatch * bufferBatches) subscription.pause();
    wake.resolve();
  };
  const end = (error?: unknown) => {
    ended ??= error === undefined ? {} : { error };
    wake.resolve();
  };
  const onAbort = () => end();
  signal.addEventListener('abort', onAbort);
  subscription.on('data', ({ event }) => event && push({ kind: 'event', event: toStoredEvent(event) }));
  subscription.on('caughtUp', () => push({ kind: 'caught_up' }));
  subscription.on('error', (error) => end(error));
  subscription.on('end', () => end(new Error('the event store ended the subscription')));
  subscription.on('close', () => end(new Error('the subscription was closed')));

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
      if (subscription.isPaused()) subscription.resume();
      yield batch;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    items = [];
    await Promise.race([subscription.unsubscribe(), once(subscription, 'close')]).catch(() => undefined);
  }
}
