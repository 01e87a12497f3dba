import { expectedMessages } from '#services/webhooks/message.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { WebhookArrival } from '../sink.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';

/** A webhook that the log requires. */
export type RequiredWebhook = {
  readonly id: string;
  readonly operationId: string;
  readonly sequence: number;
};

/** What is counted of a webhook that came. */
export type ArrivalRecord = Pick<
  WebhookArrival,
  'id' | 'operationId' | 'sequence' | 'arrivedAt' | 'takenAt'
>;

/** The webhooks that an operation's stream requires. */
export const requiredWebhooks = (events: readonly StoredEvent[]): RequiredWebhook[] =>
  expectedMessages(events).messages.map(({ message: { messageId, operationId, sequence } }) => ({
    id: messageId,
    operationId: operationId ?? '',
    sequence,
  }));

/** What the merchant has not taken. */
export function findMissingWebhooks(
  arrivals: readonly ArrivalRecord[],
  required: readonly RequiredWebhook[],
): RequiredWebhook[] {
  const taken = new Set(
    arrivals.filter(({ takenAt }) => takenAt !== undefined).map(({ id }) => id),
  );
  return required.filter(({ id }) => !taken.has(id));
}

/** Messages that were repeated with other bytes. */
export const otherBytes = (arrivals: readonly Pick<WebhookArrival, 'id' | 'body'>[]): number =>
  [...Map.groupBy(arrivals, ({ id }) => id).values()].filter(
    (same) => new Set(same.map(({ body }) => body)).size > 1,
  ).length;

/**
 * Webhooks that came before their predecessor was accepted, after a successor, or with another
 * sequence than expected.
 */
export function outOfOrder(
  arrivals: readonly ArrivalRecord[],
  required: readonly RequiredWebhook[],
): number {
  const expected = new Map(
    required.map(({ id, operationId, sequence }) => [id, `${operationId} ${sequence}`]),
  );
  const byOperation = Map.groupBy(arrivals, ({ operationId }) => operationId);
  return arrivals.filter(({ id, operationId, sequence, arrivedAt }) => {
    if (expected.get(id) !== `${operationId} ${sequence}`) return true;
    const others = byOperation.get(operationId) ?? [];
    const before = ({ takenAt }: ArrivalRecord) => takenAt !== undefined && takenAt < arrivedAt;
    const overtakes =
      sequence > 1 && !others.some((other) => other.sequence === sequence - 1 && before(other));
    const late = others.some((other) => other.sequence > sequence && other.arrivedAt < arrivedAt);
    return overtakes || late;
  }).length;
}

/**
 * Checks that every required webhook of an operation came, in order, with the same bytes each time.
 */
export function checkWebhooks(
  required: readonly RequiredWebhook[],
  arrivals: readonly WebhookArrival[],
  find: Find,
): void {
  const shows = { required, arrivals };
  for (const { sequence } of findMissingWebhooks(arrivals, required))
    find(`a webhook never came: the one with sequence ${sequence}`, shows);
  if (outOfOrder(arrivals, required) > 0)
    find('webhooks came out of order, or were not required', shows);
  if (otherBytes(arrivals) > 0) find('a webhook came again with another body', shows);
}
