import { sql, type Kysely } from 'kysely';
import type { JetStreamClient, JetStreamManager, NatsConnection, PubAck } from 'nats';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { encodePointer, ensureBus, readBusInfo, type BusNames } from '../bus.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import {
  createCheckpoint,
  goBack,
  isYounger,
  loadCheckpoint,
  noteIngested,
  type Checkpoint,
  type StreamMark,
} from './checkpoint.ts';
import { createPublishedPointers } from './published.ts';

export type SessionOptions = {
  db: Kysely<WebhooksDatabase>;
  /** One connection, without reconnecting. */
  connect(): Promise<NatsConnection>;
  names: BusNames;
};

/**
 * One connection to the stream, which was compared with the checkpoint before anything is
 * published.
 */
export type Session = {
  readonly checkpoint: Checkpoint;
  /** The session went back in the log, because the stream had lost messages. */
  wentBack: boolean;
  publish(event: StoredEvent): Promise<PubAck>;
  /** The new checkpoint: everything up to it is in the stream. */
  moved(checkpoint: Checkpoint): void;
  /** The number of pending pointers in the stream. @throws StreamLost */
  poll(): Promise<number>;
  close(): Promise<void>;
};

/** The stream has lost acknowledged messages. */
export class StreamLost extends Error {}

const publishTimeoutMs = 5_000;
/** An arbitrary number for the lock that serialises rebuilds of the stream. */
const rebuildLock = 7_312_001;

/**
 * Opens a session. A broken connection is never used again: what the client had buffered would
 * reach a restarted stream before it is checked.
 * @param lostGeneration the generation of the checkpoint whose stream has lost messages
 */
export async function openSession(
  options: SessionOptions,
  lostGeneration?: number,
): Promise<Session> {
  const nats = await options.connect();
  try {
    const manager = await nats.jetstreamManager();
    const { db, names } = options;
    await createCheckpoint(db, markOf(await ensureBus(manager, names)));
    // The checkpoint first: another relay may advance both meanwhile, and the stream always first.
    let checkpoint = await load(db);
    const bus = await readBusInfo(manager, names);
    const mark = markOf(bus);
    const lost = isYounger(mark, checkpoint.mark) || checkpoint.generation === lostGeneration;
    if (lost) {
      await rebuild(options, manager, lostGeneration);
      checkpoint = await load(db);
    }
    const consumed = lost ? 0 : consumedCount(bus);
    return session({ nats, manager, checkpoint, consumed, wentBack: lost, options });
  } catch (error) {
    await nats.close();
    throw error;
  }
}

function session(resources: {
  nats: NatsConnection;
  manager: JetStreamManager;
  checkpoint: Checkpoint;
  /** The sequence up to which the stream was consumed. */
  consumed: number;
  wentBack: boolean;
  options: SessionOptions;
}): Session {
  const { nats, manager, options } = resources;
  const { db, names } = options;
  const stream: JetStreamClient = nats.jetstream({ timeout: publishTimeoutMs });
  const published = createPublishedPointers();
  let { checkpoint, consumed } = resources;
  const moved = (to: Checkpoint) => {
    checkpoint = to;
    if (to.at) published.note({ at: to.at, sequence: to.mark.sequence });
  };
  moved(checkpoint);
  return {
    get checkpoint() {
      return checkpoint;
    },
    moved,
    wentBack: resources.wentBack,
    publish: async ({ id, stream: operation, revision, position }) => {
      const lastSequence = checkpoint.mark.sequence;
      const pointer = { eventId: id, stream: operation, revision, position: String(position) };
      const ack = await stream.publish(names.subject, encodePointer(pointer), { msgID: id });
      if (!ack.duplicate && ack.seq <= lastSequence)
        throw new StreamLost('the stream counts from an earlier number');
      return ack;
    },
    poll: async () => {
      const before = checkpoint;
      const bus = await readBusInfo(manager, names);
      if (isYounger(markOf(bus), before.mark))
        throw new StreamLost('the stream is younger than the checkpoint');
      // Removed by a limit or by hand: the consumer counts them as consumed from then on.
      if (bus.stream.state.first_seq > consumed + 1)
        throw new StreamLost('pointers were removed from the stream before they were consumed');
      consumed = consumedCount(bus);
      const ingested = published.positionUpTo(consumed);
      if (ingested && ingested.position > (before.ingested?.position ?? -1n)) {
        await noteIngested(db, before, ingested);
        checkpoint = { ...checkpoint, ingested };
      }
      return bus.consumer.num_pending + bus.consumer.num_ack_pending;
    },
    close: () => nats.close(),
  };
}

/**
 * Replaces a stream that has lost messages by an empty one, and goes back in the log to the
 * recorded position: everything after it is published again. Nothing of the old stream remains,
 * neither its list of recent publishes nor its consumer's position.
 */
async function rebuild(
  { db, names }: SessionOptions,
  manager: JetStreamManager,
  lostGeneration: number | undefined,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${rebuildLock})`.execute(tx);
    // Another relay may have done it while this one waited for the lock.
    const checkpoint = await load(tx);
    const before = markOf(await ensureBus(manager, names));
    if (!isYounger(before, checkpoint.mark) && checkpoint.generation !== lostGeneration) return;
    await manager.streams.delete(names.stream);
    await goBack(tx, checkpoint, markOf(await ensureBus(manager, names)));
  });
}

async function load(db: Kysely<WebhooksDatabase>): Promise<Checkpoint> {
  const checkpoint = await loadCheckpoint(db);
  if (!checkpoint) throw new Error("the relay's checkpoint is missing");
  return checkpoint;
}

function markOf({ stream }: Awaited<ReturnType<typeof readBusInfo>>): StreamMark {
  return { created: stream.created, sequence: stream.state.last_seq };
}

const consumedCount = ({ consumer }: Awaited<ReturnType<typeof readBusInfo>>): number =>
  consumer.ack_floor.stream_seq;
