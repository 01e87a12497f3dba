import { EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { acceptedEvent, admittedEvent } from './sample-events.ts';
import { createPlainApp, listenOnPort, variable } from '#infra/verify/stack/serve.ts';

/**
 * The least that a gateway could do: one append, one call of a provider, one append, one answer.
 * Nothing is checked, nothing is authenticated, nothing is resolved when it goes wrong.
 */
const client = EventStoreDBClient.connectionString(variable('EVENT_STORE_URL'));
const provider = new Pool(variable('PROVIDER_URL'), { connections: 512, pipelining: 1 });
const app = createPlainApp();

app.post('/v1/payment', async (c) => {
  const body = await c.req.json<{ merchant_operation_id: string }>();
  const operationId = randomUUID();
  const stream = `operation-${operationId}`;
  const admitted = await client.appendToStream(
    stream,
    admittedEvent(operationId, body.merchant_operation_id),
    {
      expectedRevision: 'no_stream',
    },
  );
  const answer = await provider.request({
    method: 'PUT',
    path: `/v1/attempts/${operationId}.1`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { reference, requisites } = (await answer.body.json()) as {
    reference: string;
    requisites: object;
  };
  await client.appendToStream(stream, acceptedEvent(reference, requisites), {
    expectedRevision: admitted.nextExpectedRevision,
  });
  return c.json({ operation_id: operationId, status: 'pending', ...requisites });
});

listenOnPort(app);
