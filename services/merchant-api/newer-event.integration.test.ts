import { expect, it } from 'vitest';
import { operationStream } from '#shared/domain/operation/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { useGateway } from './testing/gateway.ts';

const gateway = useGateway();

async function append(operationId: string, type: string, data: object, version: number) {
  const stream = operationStream(operationId);
  const events = await gateway.store.read(stream);
  const metadata = { correlation_id: 'c', actor: 'service:test', schema_version: version };
  const appended = await gateway.store.append({
    stream,
    expectedRevision: events.length - 1,
    events: [{ id: newId(), type, data, metadata }],
  });
  expect(appended.outcome).toBe('appended');
}

it('returns 503 only for an operation with an event of a newer version, and logs why (R17.4)', async () => {
  const shop = await gateway.shop();
  const body = gateway.payment();
  const { body: created } = await shop.post('/v1/payment', body);
  const id = created.operation_id;
  // As a newer instance might write: of a known type, in an unknown version, with a new field.
  await append(id, 'AttemptWithdrawn', { attempt: 1, why: 'a field of tomorrow' }, 99);
  const eventsBefore = await gateway.eventTypes(id);
  // Another instance, because this one has cached its own decisions.
  const logged: { level: string; err?: { type: string } }[] = [];
  const write = (line: string) => void logged.push(JSON.parse(line));
  const logger = createLogger('test', 'warn', { write });
  const other = shop.on(await gateway.secondInstance({ logger }));
  const merchantOperationId = { merchant_operation_id: body.merchant_operation_id };
  for (const answer of [
    await other.post('/v1/payment', body),
    await other.cancel(merchantOperationId),
    await other.state({ operation_id: id }),
    await other.state(merchantOperationId),
    await shop.state({ operation_id: id }),
  ]) {
    expect(answer).toMatchObject({
      status: 503,
      body: {
        code: 'not_ready',
        retryable: true,
        detail: expect.stringContaining('newer version'),
      },
    });
    expect(answer.headers.get('retry-after')).toMatch(/^[123]$/);
  }
  expect(logged).toHaveLength(4);
  for (const line of logged)
    expect(line).toMatchObject({ level: 'error', err: { type: 'NewerEvent' } });
  expect(await gateway.eventTypes(id)).toEqual(eventsBefore);
  expect(await other.pay({})).toMatchObject({ status: 200, body: { status: 'pending' } });
});

it('returns 503 for an operation with an event of an older version than its others (R17.4)', async () => {
  const shop = await gateway.shop();
  const { body: created } = await shop.post('/v1/payment', gateway.payment());
  const id = created.operation_id;
  // Version 1 has requisites in plain text.
  const requisites = { number: '2200123456789012', name: 'SOMEONE ELSE' };
  const terms = { provider_reference: 'another', confirmation_required: false };
  await append(id, 'AttemptAccepted', { attempt: 1, requisites, ...terms }, 1);
  const other = shop.on(await gateway.secondInstance());
  const states = [await other.state({ operation_id: id }), await shop.state({ operation_id: id })];
  for (const answer of states)
    expect(answer).toMatchObject({ status: 503, body: { code: 'not_ready', retryable: true } });
  expect(await other.pay({})).toMatchObject({ status: 200, body: { status: 'pending' } });
});
