import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  nanos,
  type ConsumerInfo,
  type JetStreamManager,
  type StreamInfo,
} from 'nats';

/** The names in JetStream; tests that share a server use their own. */
export type BusNames = {
  stream: string;
  subject: string;
  consumer: string;
  /** The number of replicas of the stream in a NATS cluster; one by default. */
  replicas?: number;
};

export const busNames: BusNames = {
  stream: 'gateway_events',
  subject: 'gateway.events.operation',
  consumer: 'webhooks',
};

/** A message in JetStream only points to an event in the log, from which all else is read. */
export type EventPointer = { eventId: string; stream: string; revision: number; position: string };

/** The relay waits when there are more unprocessed pointers; `maxStreamBytes` holds far more. */
export const maxBacklog = 100_000;
const maxStreamBytes = 1024 * 1024 * 1024;
/**
 * Pointers delivered but not acknowledged: as many as may wait in the stream, because those of a
 * shop whose ledger lags are among them until they are due again.
 */
const maxAckPending = maxBacklog;
/** After a crash of the ingest, unacknowledged messages are redelivered after this time. */
export const ackWaitMs = 5_000;
/** How long duplicates are dropped, which only saves work: recording is idempotent. */
const duplicateWindowMs = 20_000;

/**
 * Makes the stream and its consumer if they are missing. Pointers are retained until newer ones
 * displace them, never by age; the relay makes sure that no unprocessed pointer is pushed out
 * (`maxBacklog`).
 */
export async function ensureBus(
  manager: JetStreamManager,
  { stream, subject, consumer, replicas = 1 }: BusNames,
): Promise<{ stream: StreamInfo; consumer: ConsumerInfo }> {
  const config = {
    name: stream,
    subjects: [subject],
    storage: StorageType.File,
    num_replicas: replicas,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_bytes: maxStreamBytes,
    duplicate_window: nanos(duplicateWindowMs),
  };
  // A stream that an earlier version made with other limits is updated.
  await manager.streams.add(config).catch(() => manager.streams.update(stream, config));
  await manager.consumers.add(stream, {
    durable_name: consumer,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: maxAckPending,
    max_deliver: -1,
  });
  return readBusInfo(manager, { stream, consumer });
}

/** @throws NatsError when either is missing or JetStream does not answer */
export async function readBusInfo(
  manager: JetStreamManager,
  { stream, consumer }: Pick<BusNames, 'stream' | 'consumer'>,
): Promise<{ stream: StreamInfo; consumer: ConsumerInfo }> {
  const [streamInfo, consumerInfo] = await Promise.all([
    manager.streams.info(stream),
    manager.consumers.info(stream, consumer),
  ]);
  return { stream: streamInfo, consumer: consumerInfo };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export function encodePointer(pointer: EventPointer): Uint8Array {
  return encoder.encode(JSON.stringify(pointer));
}

/** Undefined if it is not a pointer. */
export function decodePointer(data: Uint8Array): EventPointer | undefined {
  try {
    const pointer: unknown = JSON.parse(decoder.decode(data));
    return isPointer(pointer) ? pointer : undefined;
  } catch {
    return undefined;
  }
}

function isPointer(value: unknown): value is EventPointer {
  if (typeof value !== 'object' || value === null) return false;
  const { eventId, stream, revision, position } = value as Partial<
    Record<keyof EventPointer, unknown>
  >;
  return (
    typeof eventId === 'string' &&
    typeof stream === 'string' &&
    Number.isSafeInteger(revision) &&
    typeof position === 'string' &&
    /^\d{1,20}$/.test(position)
  );
}
