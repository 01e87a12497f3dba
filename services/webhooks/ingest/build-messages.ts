import { setTimeout as delay } from 'node:timers/promises';
import type { EntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { dueEntries } from '#shared/domain/operation/due-steps/ledger-entries.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { EventPointer } from '../bus.ts';
import type { NewMessage, ExpectedMessage } from '../message.ts';
import { buildExpectedMessages, readMessageSource } from '../message-source.ts';
import { createReadSubscriptions, forEndpoints, type ReadSubscriptions } from './subscriptions.ts';

export type BuildOptions = {
  store: EventStore;
  logger: Logger;
  /** Called before a webhook is recorded: no shop is sent an end before its entries are posted. */
  entryPoster: Pick<EntryPoster, 'post'>;
  /** An event whose webhook can't be built, and is retried for ever. */
  onUnbuildable?: () => void;
};

type Built = {
  /** The messages that the pointers' events require. */
  messages: NewMessage[];
  /** The streams whose pointers must be retried, with the first delay. */
  retryMsByStream: ReadonlyMap<string, number>;
};
export type BuildMessages = (pointers: readonly EventPointer[]) => Promise<Built>;

const readsAtOnce = 16;
/** The delay of a pointer whose operation could not be read. */
const unbuildableRetryMs = 30_000;
/** A replica of the store may not have the event yet. */
const notReadableRetryMs = 500;
/** The first delay of a pointer to an end whose entries are not posted; it doubles. */
const notPostedRetryMs = 2_000;
/** Most entries are posted already, or within milliseconds. */
const postingWaitMs = 1_000;
/** The wait for a shop whose entries were late before. */
const laggingWaitMs = 20;
/** How many ends of such a shop are posted at once; the others wait until one of them is posted. */
const laggingPosts = 8;
const maxLaggingShops = 10_000;

type End = { operation: Operation | undefined; events: readonly StoredEvent[] };

/**
 * Which of the ends have their entries in time. A ledger that does not answer must not delay the
 * webhooks of other shops: the first batch waits up to 1 s for its
 * shop, later ones only some milliseconds.
 */
export function createPostedInTime({ post }: Pick<EntryPoster, 'post'>) {
  const lagging = new Set<string>();
  return async (ends: readonly End[]): Promise<boolean[]> => {
    const postingTimeout = delay(postingWaitMs, false, { ref: false });
    const laggingTimeout = delay(laggingWaitMs, false, { ref: false });
    const posts = new Map<string, Promise<boolean>[]>();
    // Undefined: not tried.
    const posted = await Promise.all(
      ends.map(async ({ operation, events }) => {
        if (!operation || dueEntries(operation).length === 0) return true;
        const { shopId } = operation;
        const tried = posts.get(shopId) ?? [];
        posts.set(shopId, tried);
        const isLagging = lagging.has(shopId);
        if (isLagging && tried.length >= laggingPosts) return undefined;
        const posting = Promise.race([post(operation, events), postingTimeout]);
        tried.push(posting);
        return isLagging ? Promise.race([posting, laggingTimeout]) : posting;
      }),
    );
    for (const shopId of posts.keys()) lagging.delete(shopId);
    ends.forEach(({ operation }, at) => {
      if (operation && posted[at] === false && lagging.size < maxLaggingShops)
        lagging.add(operation.shopId);
    });
    // If all are posted shortly after, the ledger is only slow, and is waited for again.
    for (const [shopId, tried] of posts)
      if (lagging.has(shopId))
        void Promise.all(tried).then((all) => all.every(Boolean) && lagging.delete(shopId));
    return posted.map((each) => each === true);
  };
}

export function createBuildMessages(options: BuildOptions): BuildMessages {
  const { store, logger } = options;
  const readSubscriptions = createReadSubscriptions(store);
  const postedInTime = createPostedInTime(options.entryPoster);

  return async (pointers) => {
    const built: (End & { stream: string; messages: ExpectedMessage[] })[] = [];
    const retryMsByStream = new Map<string, number>();
    await inTurns([...findNewestRevisions(pointers)], readsAtOnce, async ([stream, revision]) => {
      const read = await readMessageSource(store, { stream, revision });
      if (!read) {
        retryMsByStream.set(stream, notReadableRetryMs);
        return;
      }
      try {
        built.push({ stream, events: read.events, ...buildExpectedMessages(read) });
      } catch (error) {
        logger.error({ err: error, stream, revision }, 'a webhook can not be built');
        retryMsByStream.set(stream, unbuildableRetryMs);
        options.onUnbuildable?.();
      }
    });
    const posted = await postedInTime(built);
    const expected = built.flatMap(({ stream, messages }, at) => {
      if (posted[at]) return messages;
      retryMsByStream.set(stream, notPostedRetryMs);
      return [];
    });
    const { messages, unread } = await toEndpoints(expected, readSubscriptions);
    for (const [shopId, cause] of unread)
      logger.warn({ err: cause, shopId }, 'the endpoints of a shop could not be read');
    for (const { stream, messages: own } of built)
      if (own.some(({ message }) => unread.has(message.shopId)))
        retryMsByStream.set(stream, notReadableRetryMs);
    return { messages, retryMsByStream };
  };
}

/** The newest revision that pointers name, for each stream. */
function findNewestRevisions(pointers: readonly EventPointer[]): ReadonlyMap<string, number> {
  const heads = new Map<string, number>();
  for (const { stream, revision } of pointers) {
    heads.set(stream, Math.max(revision, heads.get(stream) ?? -1));
  }
  return heads;
}

/**
 * A message for each endpoint that the shop had at the time. They are read after the pointers, so
 * that an endpoint that was configured before their events is seen. `unread`: shops whose endpoints
 * could not be read, which must not delay others.
 */
async function toEndpoints(
  expected: readonly ExpectedMessage[],
  readSubscriptions: ReadSubscriptions,
): Promise<{ messages: NewMessage[]; unread: ReadonlyMap<string, unknown> }> {
  const messages: NewMessage[] = [];
  const unread = new Map<string, unknown>();
  const ofShops = Map.groupBy(expected, ({ message }) => message.shopId);
  await inTurns([...ofShops], readsAtOnce, async ([shopId, ofShop]) => {
    try {
      const until = ofShop.reduce((last, { position }) => (position > last ? position : last), 0n);
      const subscriptions = await readSubscriptions(shopId, until);
      messages.push(...ofShop.flatMap((each) => forEndpoints(each, subscriptions)));
    } catch (cause) {
      unread.set(shopId, cause);
    }
  });
  return { messages, unread };
}

/** Runs the work of all items, at most `atOnce` at a time. @throws what the first one throws */
async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
