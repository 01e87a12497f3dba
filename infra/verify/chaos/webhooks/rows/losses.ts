import { connect } from 'nats';
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '#infra/process/wait-until.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { natsConnectionOptions } from '#shared/platform/nats/connection-options.ts';
import { busNames, encodePointer } from '#services/webhooks/bus.ts';
import { fewOperations, longestDelayMs, type CrashRow, type RowContext } from './row.ts';

const replayed: CrashRow = {
  name: 'events replayed',
  round: async ({ service, load, random, fault, shopId }) => {
    const { db, parts, stores, store } = service;
    await load.more(fewOperations);
    if (random.below(2) === 0) {
      await parts.relay.kill();
      await sql`update webhooks.relay set position = -1`.execute(db);
      parts.relay.start();
      fault('the relay begins at the start of the log');
    } else {
      const { rows } = await sql<{ operation_id: string }>`
        select distinct operation_id from webhooks.message where shop_id = ${shopId}`.execute(db);
      const nats = await connect(natsConnectionOptions(stores.nats.url));
      const stream = nats.jetstream();
      for (const { operation_id: id } of rows) {
        for (const { stream: of, revision, position } of await store.read(operationStream(id))) {
          const pointer = { eventId: newId(), stream: of, revision, position: String(position) };
          await stream.publish(busNames.subject, encodePointer(pointer));
        }
      }
      await nats.close();
      fault('pointers to every event again');
    }
    await load.more(fewOperations);
  },
};

/** Starts the reconciliation, kills it from time to time, and lets it finish. */
async function reconcile({ service, random, load }: RowContext, kills: number): Promise<void> {
  const { reconciler } = service;
  const before = service.repairs();
  await reconciler.kill();
  reconciler.start();
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(random.below(longestDelayMs));
    if (kill % 2 === 0)
      await reconciler.until({
        store: 'postgres',
        pattern: /insert into webhooks\.|commit/,
        heard: kill % 4 === 0,
      });
    await reconciler.kill();
    reconciler.start();
  }
  await load.more(1);
  await waitUntil('something was repaired', () => service.repairs() > before, {
    timeoutMs: 120_000,
  });
}

const neverPublished: CrashRow = {
  name: 'events that the relay never published',
  end: ({ service }) => service.reconciler.kill(),
  round: async (context) => {
    const { service, load, fault } = context;
    const { parts, store, db } = service;
    await load.more(fewOperations);
    await parts.relay.kill();
    await load.more(fewOperations);
    const head = await store.head();
    await sql`update webhooks.relay set position = ${String(head)}::bigint`.execute(db);
    parts.relay.start();
    fault('skipped');
    await reconcile(context, 1);
    await load.more(fewOperations);
  },
};

const wiped: CrashRow = {
  name: 'NATS with its data wiped',
  end: ({ service }) => service.reconciler.kill(),
  round: async (context) => {
    const { service, load, random, fault } = context;
    const { parts, stores } = service;
    await load.more(1 + random.below(fewOperations));
    // Published but unconsumed messages are lost now.
    await parts.ingest.kill();
    await load.more(fewOperations);
    await stores.nats.end(random.below(2) === 0 ? 'SIGKILL' : undefined);
    stores.nats.wipe();
    await load.more(fewOperations);
    await stores.nats.start();
    fault('wiped');
    parts.ingest.start();
    await reconcile(context, 1);
    await load.more(fewOperations);
  },
};

const olderCopy: CrashRow = {
  name: 'NATS set back to an older copy',
  end: ({ service }) => service.reconciler.kill(),
  round: async (context) => {
    const { service, load, random, fault } = context;
    const { parts, stores } = service;
    const { nats } = stores;
    await load.more(fewOperations);
    await nats.end();
    nats.save();
    await nats.start();
    // The copy lacks messages that are published but not consumed now.
    await parts.ingest.kill();
    await load.more(fewOperations + random.below(fewOperations));
    await nats.end('SIGKILL');
    nats.restore();
    await nats.start();
    fault('older copy');
    parts.ingest.start();
    await reconcile(context, 1);
    await load.more(fewOperations);
  },
};

const outgrown: CrashRow = {
  name: 'a log longer than the stream remembers',
  end: ({ service }) => service.reconciler.kill(),
  round: async (context) => {
    const { service, load, fault } = context;
    const { parts, stores } = service;
    await load.more(fewOperations);
    await parts.ingest.kill();
    await load.more(3 * fewOperations);
    const nats = await connect(natsConnectionOptions(stores.nats.url));
    const manager = await nats.jetstreamManager();
    // As a limit of the stream removes its oldest messages.
    await manager.streams.purge(busNames.stream, { keep: 3 });
    await nats.close();
    fault('pushed out');
    parts.ingest.start();
    await reconcile(context, 2);
    await load.more(fewOperations);
  },
};

export const losses = (): CrashRow[] => [replayed, neverPublished, wiped, olderCopy, outgrown];
