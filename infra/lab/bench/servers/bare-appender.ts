import { EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { closedLoop } from '#infra/lab/load/loops.ts';
import { acceptedEvent, admittedEvent } from './sample-events.ts';
import { variable } from '#infra/lab/targets/serve.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';

export type AppenderOrder = { order: 'run'; clients: number; durationMs: number };

/**
 * A bare client in its own process: appends the same two events sequentially, and does nothing
 * else.
 */
const client = EventStoreDBClient.connectionString(variable('EVENT_STORE_URL'));

serveOrders((plan: AppenderOrder) =>
  closedLoop(plan, async () => {
    const operationId = randomUUID();
    const stream = `operation-${operationId}`;
    const { nextExpectedRevision } = await client.appendToStream(
      stream,
      admittedEvent(operationId, randomUUID()),
      { expectedRevision: 'no_stream' },
    );
    const accepted = acceptedEvent(`trivial_${operationId}.1`, { number: '2200000012345674' });
    await client.appendToStream(stream, accepted, { expectedRevision: nextExpectedRevision });
  }),
);
