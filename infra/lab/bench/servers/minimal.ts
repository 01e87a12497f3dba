import { EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { createLoadClient } from '#infra/lab/load/http-client.ts';
import { acceptedEvent, admittedEvent } from './sample-events.ts';
import { createPlainApp, listenOnPort, variable } from '#infra/lab/targets/serve.ts';

/**
 * A minimal gateway: one append, one provider call, one append, one answer, without validation,
 * authentication and recovery.
 */
const client = EventStoreDBClient.connectionString(variable('EVENT_STORE_URL'));
const provider = createLoadClient(variable('PROVIDER_URL'), 512);
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
  const answer = await provider.send({
    method: 'PUT',
    path: `/v1/attempts/${operationId}.1`,
    body: JSON.stringify(body),
  });
  const { reference, requisites } = JSON.parse(answer.body) as {
    reference: string;
    requisites: object;
  };
  await client.appendToStream(stream, acceptedEvent(reference, requisites), {
    expectedRevision: admitted.nextExpectedRevision,
  });
  return c.json({ operation_id: operationId, status: 'pending', ...requisites });
});

listenOnPort(app);
