import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, FORWARDS, NO_STREAM, START, jsonEvent } from '@eventstore/db-client';
import { closedLoop, untimed, type LoopMeasurement } from '#infra/lab/load/loops.ts';

/** The data of every event: about 500 bytes as JSON. */
const DATA = { id: randomUUID(), text: 'x'.repeat(440) };

const SEED_EVENTS = 100;

type StoreClient = {
  /**
   * Fills the log with `count` events, so that there is something to read however slow the machine.
   */
  readonly seed: (count: number) => Promise<void>;
  readonly append: (width: number, durationMs: number) => Promise<LoopMeasurement>;
  /** A $all read of `count` events. */
  readonly readAll: (count: number) => Promise<LoopMeasurement>;
  /** A subscription to $all from its start until `count` events came. */
  readonly catchUp: (count: number) => Promise<LoopMeasurement>;
  readonly close: () => Promise<void>;
};

/**
 * One official client; each appender writes to streams of its own, ten events a stream at the exact
 * revision.
 */
export function createStoreClient(url: string): StoreClient {
  const client = EventStoreDBClient.connectionString(url);

  async function seed(count: number): Promise<void> {
    for (let written = 0; written < count; written += SEED_EVENTS) {
      const events = Array.from({ length: SEED_EVENTS }, () =>
        jsonEvent({ type: 'PaymentAdmitted', data: DATA }),
      );
      await client.appendToStream(`operation-${randomUUID()}`, events, {
        expectedRevision: NO_STREAM,
      });
    }
  }

  async function append(width: number, durationMs: number): Promise<LoopMeasurement> {
    const lanes = Array.from({ length: width }, () => ({ stream: '', revision: 9n }));
    return closedLoop({ clients: width, durationMs }, async (index) => {
      const lane = lanes[index] as (typeof lanes)[number];
      const isNew = lane.revision === 9n;
      if (isNew) lane.stream = `operation-${randomUUID()}`;
      const expectedRevision = isNew ? NO_STREAM : lane.revision;
      const event = jsonEvent({ type: 'PaymentAdmitted', data: DATA });
      const { nextExpectedRevision } = await client.appendToStream(lane.stream, event, {
        expectedRevision,
      });
      lane.revision = nextExpectedRevision;
    });
  }

  async function readAll(count: number): Promise<LoopMeasurement> {
    const begin = performance.now();
    let events = 0;
    const read = client.readAll({ direction: FORWARDS, fromPosition: START, maxCount: count });
    for await (const { event } of read) events += event === undefined ? 0 : 1;
    return untimed(events, performance.now() - begin);
  }

  async function catchUp(count: number): Promise<LoopMeasurement> {
    const begin = performance.now();
    let events = 0;
    const subscription = client.subscribeToAll({ fromPosition: START });
    for await (const { event } of subscription) {
      events += event === undefined ? 0 : 1;
      if (events === count) break;
    }
    const elapsedMs = performance.now() - begin;
    await subscription.unsubscribe();
    return untimed(events, elapsedMs);
  }

  return { seed, append, readAll, catchUp, close: () => client.dispose() };
}
