import type { Kysely } from 'kysely';
import type { NatsConnection } from 'nats';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { decodePointer, readBusInfo, type BusNames } from '../bus.ts';
import { loadPublished } from '../relay/checkpoint.ts';

/** The first position of the log whose pointer the ingest may not have been given yet. */
export type FirstUndelivered = () => Promise<bigint>;

/** Asks the relay how far it published, and the stream how far it delivered. */
export function createUndelivered({
  db,
  connect,
  names,
}: {
  db: Kysely<WebhooksDatabase>;
  connect(): Promise<NatsConnection>;
  names: BusNames;
}): FirstUndelivered {
  return async () => {
    // Read first: what it names is in the stream by now.
    const published = await loadPublished(db);
    if (published === undefined) return 0n;
    const nats = await connect();
    try {
      const manager = await nats.jetstreamManager();
      const { stream, consumer } = await readBusInfo(manager, names);
      if (consumer.num_pending === 0) return published + 1n;
      const seq = Math.max(consumer.delivered.stream_seq + 1, stream.state.first_seq);
      const next = decodePointer((await manager.streams.getMessage(names.stream, { seq })).data);
      const position = BigInt(next?.position ?? 0);
      return position > published ? published + 1n : position;
    } finally {
      await nats.close();
    }
  };
}

/**
 * Whether an event may still be on its way to the ingest. It asks once, and only if it is needed.
 * Without an answer nothing is known to be lost.
 */
export function createMayArrive(undelivered: FirstUndelivered) {
  let first: Promise<bigint> | undefined;
  return async ({ position }: Pick<StoredEvent, 'position'>): Promise<boolean> => {
    first ??= undelivered().catch(() => 0n);
    return position >= (await first);
  };
}
