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
  { filter, maxBatch = defaultMaxBatch, signal }: SubscribeRequest,
): AsyncGenerator<LogItem[]> {
  if (signal.aborted) return;
  let items: LogItem[] = [];
  let ended: { error?: unknown } | undefined;
  let wake = Promise.withResolvers<void>();

  const isWanted = (stream: string) =>
    filter?.streamPrefixes.some((prefix) => stream.startsWith(prefix)) ?? true;

  let given = 0;
  const marks: { item: LogItem; after: number }[] = [];

  const subscription = open((position) => mark({ kind: 'checkpoint', position }));
  const push = (item: LogItem) => {
    const last = items.at(-1);
    if (item.kind === 'checkpoint' && last?.kind === 'checkpoint') items[items.length - 1] = item;
    else items.push(item);
    if (items.length >= maxBatch * bufferBatches) subscription.pause();
    wake.resolve();
  };
  // The client tells of a checkpoint, and of having caught up, while events from before it still lie in its buffer: they
  // come first, else whoever keeps the checkpoint would never see them.
  const mark = (item: LogItem) => {
    const last = marks.at(-1);
    const after = given + subscription.readableLength;
    if (after === given && !last) push(item);
    else if (last?.after === after && last.item.kind === item.kind) last.item = item;
    else marks.push({ item, after });
  };
  const end = (error?: unknown) => {
    ended ??= error === undefined ? {} : { error };
    wake.resolve();
  };
  const onAbort = () => end();
  signal.addEventListener('abort', onAbort);
  subscription.on('data', ({ event }) => {
    given += 1;
    if (event && isWanted(event.streamId)) push({ kind: 'event', event: toStoredEvent(event) });
    else if (event?.position) push({ kind: 'checkpoint', position: event.position.commit });
    for (let next = marks[0]; next && next.after <= given; next = marks[0]) {
      marks.shift();
      push(next.item);
    }
  });
  subscription.on('caughtUp', () => mark({ kind: 'caught_up' }));
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
