import { setTimeout as delay } from 'node:timers/promises';
import type { BooksFirst } from '#shared/application/operations/books-first.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import type { EventPointer } from '../bus.ts';
import { messagesOwed, type NewMessage, type OwedMessage } from '../message.ts';
import { createOwedSince } from './owed-since.ts';

export type BuildOptions = {
  store: EventStore;
  logger: Logger;
  /** Called before a webhook is recorded: no shop is sent an end before its entries are posted. */
  booksFirst: Pick<BooksFirst, 'post'>;
  /** An event whose webhook can't be built; it is retried for ever. */
  onUnbuildable?: () => void;
};

/**
 * The messages that the pointers' events owe, and the streams whose webhooks have to be retried,
 * with delays.
 */
type Built = { messages: NewMessage[]; comeBackMs: ReadonlyMap<string, number> };
export type BuildMessages = (pointers: readonly EventPointer[]) => Promise<Built>;

const readsAtOnce = 16;
/** The delay of a pointer whose operation could not be read. */
const unbuildableRetryMs = 30_000;
/** A replica of the store may not have the event yet. */
const notReadableRetryMs = 500;
/** The delay of a pointer to an end whose entries are not posted: posting takes at most 5 s. */
const notPostedRetryMs = 2_000;
/** Most entries are posted already, or within milliseconds. */
const booksWaitMs = 1_000;

/**
 * Which of the ends have their entries in time; a ledger that does not answer must not delay the
 * webhooks of other shops.
 */
export function postedInTime(posts: readonly Promise<boolean>[]): Promise<boolean[]> {
  const late = delay(booksWaitMs, false, { ref: false });
  return Promise.all(posts.map((post) => Promise.race([post, late])));
}

export function createBuildMessages(options: BuildOptions): BuildMessages {
  const { store, logger, booksFirst } = options;
  const owedSince = createOwedSince(store);

  return async (pointers) => {
    const built: { stream: string; messages: OwedMessage[]; posting: Promise<boolean> }[] = [];
    const comeBackMs = new Map<string, number>();
    await inTurns([...headsOf(pointers)], readsAtOnce, async ([stream, revision]) => {
      const events = await eventsUpTo(store, stream, revision);
      if (events.at(-1)?.revision !== revision) {
        comeBackMs.set(stream, notReadableRetryMs);
        return;
      }
      try {
        const { operation, messages } = messagesOwed(events);
        const posting = operation ? booksFirst.post(operation, events) : Promise.resolve(true);
        built.push({ stream, messages, posting });
      } catch (error) {
        logger.error({ err: error, stream, revision }, 'a webhook can not be built');
        comeBackMs.set(stream, unbuildableRetryMs);
        options.onUnbuildable?.();
      }
    });
    const posted = await postedInTime(built.map(({ posting }) => posting));
    const owed = built.flatMap(({ stream, messages }, at) => {
      if (posted[at]) return messages;
      comeBackMs.set(stream, notPostedRetryMs);
      return [];
    });
    return { messages: await ofConfigured(owed, owedSince), comeBackMs };
  };
}

/** The newest revision that pointers name, for each stream. */
function headsOf(pointers: readonly EventPointer[]): ReadonlyMap<string, number> {
  const heads = new Map<string, number>();
  for (const { stream, revision } of pointers) {
    heads.set(stream, Math.max(revision, heads.get(stream) ?? -1));
  }
  return heads;
}

/**
 * The pointers of shops that had a webhook at the time. It is read after the pointers, so that a
 * webhook that was configured before their events is seen.
 */
async function ofConfigured(
  owed: readonly OwedMessage[],
  owedSince: ReturnType<typeof createOwedSince>,
): Promise<NewMessage[]> {
  const since = new Map<string, bigint | undefined>();
  const shopIds = new Set(owed.map(({ message }) => message.shopId));
  await inTurns([...shopIds], readsAtOnce, async (shopId) => {
    since.set(shopId, await owedSince(shopId));
  });
  return owed
    .filter(({ message, position }) => (since.get(message.shopId) ?? position) < position)
    .map(({ message }) => message);
}

/**
 * Usually they are in memory; a replica of the store may not have the newest yet. @throws when they
 * can't be read
 */
async function eventsUpTo(
  store: EventStore,
  stream: string,
  revision: number,
): Promise<readonly StoredEvent[]> {
  const recent = store.recent(stream);
  if (recent && recent.length > revision) return recent.slice(0, revision + 1);
  return store.read(stream, { maxCount: revision + 1 });
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
