import type { Random } from '#infra/verify/harness/random.ts';
import { createTestBooks } from '#services/audit/testing/books.ts';
import { clientKey } from '#services/audit/testing/busy-log.ts';
import { usualCaller, type NewLogEvent } from '#services/audit/testing/log.ts';
import { setUpShops } from '#services/audit/testing/shops.ts';
import { testCredentialKeys } from '#shared/application/providers/accounts/testing/credential-keys.ts';
import { directoryStream } from '#shared/application/directory/stream.ts';
import { defaultAccount } from '#shared/domain/statements/events.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { NO_STREAM, type EventStore, type NewEvent } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { accounts } from '../accounts.ts';
import type { Life, Posted } from './life.ts';
import { liveOperation, routesOfDay, shops, type World } from './lives.ts';
import type { Moved } from './moved.ts';

/** Lives that go on side by side. */
const width = 400;
const mostAtOnce = 200;

export type WrittenDay = { moved: Moved[]; operations: number; events: number; transfers: number };

/** Writes the day into the log: operations side by side, with the books that their ends owe. */
export async function writeDay(
  store: EventStore,
  { random, startMs, operations }: { random: Random; startMs: number; operations: number },
): Promise<WrittenDay> {
  const log = createWriter(store);
  await setUp(log);
  const moved: Moved[] = [];
  let transfers = 0;
  const nextTransfer = () => `T${String((transfers += 1)).padStart(9, '0')}`;
  const world: World = { random, startMs, nextTransfer };
  for (let first = 1; first <= operations; first += width) {
    const count = Math.min(width, operations - first + 1);
    const lives = Array.from({ length: count }, (_, index) => liveOperation(first + index, world));
    for (const life of lives) moved.push(...life.moved);
    await writeLives(log, lives);
  }
  return { moved, operations, events: log.events(), transfers };
}

type Writer = ReturnType<typeof createWriter>;

/** Step by step: what a step of all lives appends, then the entries that follow from it. */
async function writeLives(log: Writer, lives: readonly Life[]): Promise<void> {
  const most = Math.max(...lives.map(({ steps }) => steps.length));
  for (let place = 0; place < most; place += 1) {
    const going = lives.flatMap(({ shopId, steps }) => {
      const step = steps[place];
      return step ? [{ shopId, ...step }] : [];
    });
    await Promise.all(
      going.flatMap(({ shopId, appends }) =>
        appends.map(({ stream, events }) => log.append(stream, events, shopId)),
      ),
    );
    await log.post(going.flatMap(({ posts }) => posts));
  }
}

function createWriter(store: EventStore) {
  const revisions = new Map<string, number>();
  let events = 0;
  let entries: NewLogEvent[] = [];
  const books = createTestBooks((entry) => entries.push(entry));

  async function append(stream: string, given: readonly EventOf[], shopId?: string): Promise<void> {
    for (let from = 0; from < given.length; from += mostAtOnce) {
      const some = given.slice(from, from + mostAtOnce).map((event) => newEvent(event, shopId));
      const expectedRevision = revisions.get(stream) ?? NO_STREAM;
      const appended = await store.append({
        stream,
        expectedRevision,
        events: some,
        deadlineMs: 60_000,
      });
      if (appended.outcome !== 'appended') throw new Error(`${stream}: ${appended.outcome}`);
      revisions.set(stream, appended.revision);
      events += some.length;
    }
  }

  return {
    append,
    events: () => events,
    post: async (posts: readonly Posted[]): Promise<void> => {
      for (const { shopId, currency, command } of posts) books.post(shopId, currency, command);
      const byStream = Map.groupBy(entries, ({ stream }) => stream);
      entries = [];
      await Promise.all([...byStream].map(([stream, some]) => append(stream, some)));
    },
  };
}

type EventOf = Pick<NewLogEvent, 'type' | 'data'>;

function newEvent({ type, data }: EventOf, shopId: string | undefined): NewEvent {
  const who = usualCaller({ type, data }, shopId);
  const metadata = { correlation_id: 'day', ...who, schema_version: newestVersion(type) };
  return { id: newId(), type, data: data as object, metadata };
}

/**
 * Shops without webhooks, their clients' keys, and the accounts that the environment does not name.
 */
async function setUp(log: Writer): Promise<void> {
  const events: NewLogEvent[] = shops.map(clientKey);
  const append = (event: NewLogEvent) => event.type !== 'WebhookConfigured' && events.push(event);
  setUpShops({ append }, shops, routesOfDay);
  for (const { provider, account } of accounts) {
    if (account === defaultAccount) continue;
    const credentials = testCredentialKeys.seal(
      { provider, account, number: 1 },
      { opens: account },
    );
    const data = { provider, account, label: account, credentials };
    events.push({ stream: directoryStream, type: 'ProviderAccountAdded', data });
  }
  for (const [stream, some] of Map.groupBy(events, (event) => event.stream))
    await log.append(stream, some);
}
