import type { Kysely } from 'kysely';
import { waitUntil } from '#infra/process/wait-until.ts';
import type { WebhooksDatabase } from '#shared/application/webhooks/database/tables.ts';
import { expectedMessages, type NewMessage } from '#services/webhooks/message.ts';
import { recordMessages } from '#services/webhooks/ingest/record.ts';
import { admit } from '#shared/domain/operation/admission/admit.ts';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { noOperation } from '#shared/domain/operation/state.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import type { LoadClient } from '#infra/lab/load/http-client.ts';

const appendsAtOnce = 16;

/** An operation that is declined at once because there is no route: it requires one webhook. */
function declined(shopId: string): { stream: string; events: ReturnType<typeof toNewEvents> } {
  const operationId = newId();
  const decision = admit(noOperation, {
    operationId,
    shopId,
    merchantId: 'bench',
    type: 'payment',
    merchantOperationId: operationId,
    body: { rest: 'bench', whole: 'bench' },
    endpoint: '/v1/payment',
    apiVersion: 'v1',
    request: { client_id: 'client-1', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' },
    acceptUntil: new Date().toISOString(),
    routes: [],
  });
  if ('refusal' in decision) throw new Error(decision.refusal.code);
  const events: OperationEvent[] = decision.events;
  return {
    stream: operationStream(operationId),
    events: toNewEvents(events, { actor: 'service:bench', correlationId: newId() }),
  };
}

/** Appends operations that require one webhook each, sixteen at a time. */
export async function appendDeclined(
  store: EventStore,
  shopId: string,
  count: number,
): Promise<void> {
  let left = count;
  const appending = Array.from({ length: appendsAtOnce }, async () => {
    for (; left > 0;) {
      left -= 1;
      const { stream, events } = declined(shopId);
      const { outcome } = await store.append({ stream, expectedRevision: NO_STREAM, events });
      if (outcome !== 'appended') throw new Error(`an append came to ${outcome}`);
    }
  });
  await Promise.all(appending);
}

/**
 * Puts messages into the table in one transaction, as the ingest would: they are due, all at once,
 * when it commits.
 */
export async function recordWaiting(
  db: Kysely<WebhooksDatabase>,
  shopIds: readonly string[],
  count: number,
): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) =>
    waiting(shopIds[index % shopIds.length] ?? ''),
  );
  await recordMessages(db, messages);
}

function waiting(shopId: string): NewMessage {
  const { stream, events } = declined(shopId);
  const stored = events.map((event, revision) => ({
    ...event,
    stream,
    revision,
    position: 0n,
    created: new Date(),
  }));
  const [required] = expectedMessages(stored).messages;
  if (!required) throw new Error('a declined operation requires a webhook');
  return required.message;
}

/** Waits until a receiver has that many webhooks. @returns their times of arrival, milliseconds */
export async function arrivals(receiver: LoadClient, count: number): Promise<number[]> {
  const counted = async () =>
    Number((await receiver.send({ method: 'GET', path: '/count' })).body) >= count;
  await waitUntil(`${count} webhooks have come`, counted, { timeoutMs: 120_000, intervalMs: 50 });
  return takeArrivals(receiver);
}

/** The webhooks of a receiver since the last call. */
export async function takeArrivals(receiver: LoadClient): Promise<number[]> {
  return JSON.parse((await receiver.send({ method: 'GET', path: '/take' })).body) as number[];
}
