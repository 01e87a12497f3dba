import type { Kysely } from 'kysely';
import { migrateWebhooks } from '#shared/application/webhooks/database/migrations.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { lateStream } from '#shared/domain/late/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { buildExpectedMessages } from '../message-source.ts';
import { recordMessages } from './record.ts';
import { createReadSubscriptions, forEndpoints } from './subscriptions.ts';

const pageSize = 1_000;
const [operationPrefix, shopPrefix] = ['operation-', 'shop-'];

/**
 * Derives every webhook of a log that nothing is appended to, and records it in an empty database:
 * for a drill, and for tests. @returns how many
 */
export async function recordAllWebhooks(
  store: EventStore,
  db: Kysely<WebhooksDatabase>,
): Promise<number> {
  await migrateWebhooks(db);
  const readSubscriptions = createReadSubscriptions(store);
  let recorded = 0;
  // One read after the other: each has a deadline, which hundreds at once miss on a slow machine.
  for await (const stream of streamsWithWebhooks(store)) {
    const events = await store.read(stream);
    const late = stream.startsWith(operationPrefix)
      ? await store.read(lateStream(stream.slice(operationPrefix.length)))
      : [];
    const of = stream.startsWith(operationPrefix) ? 'operation' : 'shop';
    const { messages } = buildExpectedMessages({ of, events, late });
    const forEach = messages.map(async (each) =>
      forEndpoints(each, await readSubscriptions(each.message.shopId)),
    );
    const records = (await Promise.all(forEach)).flat();
    if (records.length > 0) await recordMessages(db, records);
    recorded += records.length;
  }
  return recorded;
}

/** Each operation and shop, at its first event. */
async function* streamsWithWebhooks(store: EventStore): AsyncGenerator<string> {
  let after: bigint | undefined = 0n;
  while (after !== undefined) {
    const page: Awaited<ReturnType<EventStore['readLog']>> = await store.readLog({
      after,
      maxCount: pageSize,
    });
    for (const { stream, revision } of page.events)
      if (revision === 0 && (stream.startsWith(operationPrefix) || stream.startsWith(shopPrefix)))
        yield stream;
    after = page.events.at(-1)?.position;
  }
}
