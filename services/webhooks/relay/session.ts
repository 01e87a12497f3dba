import type { Kysely } from 'kysely';
import type { NatsConnection } from 'nats';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { encodePointer, ensureBus, readBusInfo, type BusNames } from '../bus.ts';
import { openCheckpoint, type RelayCheckpoint } from './checkpoint.ts';

export type SessionOptions = {
  db: Kysely<WebhooksDatabase>;
  /** One connection, without reconnecting. */
  connect(): Promise<NatsConnection>;
  names: BusNames;
};

/** One connection to the stream. */
export type RelaySession = {
  /** Everything up to it was acknowledged by the stream. */
  checkpoint: RelayCheckpoint;
  /** Resolves with the acknowledgement of the stream. */
  publish(event: StoredEvent): Promise<unknown>;
  /** The number of pending pointers in the stream. */
  backlog(): Promise<number>;
  close(): Promise<void>;
};

const publishTimeoutMs = 5_000;

export async function openSession({ db, connect, names }: SessionOptions): Promise<RelaySession> {
  const nats = await connect();
  try {
    const manager = await nats.jetstreamManager();
    const checkpoint = await openCheckpoint(db, async () => {
      const { stream: existing } = await ensureBus(manager, names);
      if (existing.state.last_seq === 0) return existing.created;
      await manager.streams.delete(names.stream);
      return (await ensureBus(manager, names)).stream.created;
    });
    await ensureBus(manager, names);
    const jetstream = nats.jetstream({ timeout: publishTimeoutMs });
    return {
      checkpoint,
      publish: ({ id, stream, revision, position }) => {
        const pointer = { eventId: id, stream, revision, position: String(position) };
        return jetstream.publish(names.subject, encodePointer(pointer), { msgID: id });
      },
      backlog: async () => {
        const { consumer } = await readBusInfo(manager, names);
        return consumer.num_pending + consumer.num_ack_pending;
      },
      close: () => nats.close(),
    };
  } catch (error) {
    await nats.close();
    throw error;
  }
}
