import { expectedMessages } from '#services/webhooks/message.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Arrival } from '../sink.ts';
import type { Find } from '#infra/verify/harness/finding.ts';

/** A webhook that the log owes. */
export type Owed = { readonly id: string; readonly operationId: string; readonly sequence: number };

/** What is counted of a webhook that came. */
export type Counted = Pick<Arrival, 'id' | 'operationId' | 'sequence' | 'arrivedAt' | 'takenAt'>;

/** The webhooks that an operation's stream requires. */
export const owedBy = (events: readonly StoredEvent[]): Owed[] =>
  expectedMessages(events).messages.map(({ message: { messageId, operationId, sequence } }) => ({
    id: messageId,
    operationId: operationId ?? '',
    sequence,
  }));

/** What the merchant has not taken. */
export function missing(arrivals: readonly Counted[], owed: readonly Owed[]): Owed[] {
  const taken = new Set(
    arrivals.filter(({ takenAt }) => takenAt !== undefined).map(({ id }) => id),
  );
  return owed.filter(({ id }) => !taken.has(id));
}

/** Messages that were repeated with other bytes. */
export const otherBytes = (arrivals: readonly Pick<Arrival, 'id' | 'body'>[]): number =>
  [...Map.groupBy(arrivals, ({ id }) => id).values()].filter(
    (same) => new Set(same.map(({ body }) => body)).size > 1,
  ).length;

/**
 * Webhooks that came before their predecessor was accepted, after a successor, or with another
 * sequence than expected.
 */
export function outOfOrder(arrivals: readonly Counted[], owed: readonly Owed[]): number {
  const expected = new Map(
    owed.map(({ id, operationId, sequence }) => [id, `${operationId} ${sequence}`]),
  );
  const byOperation = Map.groupBy(arrivals, ({ operationId }) => operationId);
  return arrivals.filter(({ id, operationId, sequence, arrivedAt }) => {
    if (expected.get(id) !== `${operationId} ${sequence}`) return true;
    const others = byOperation.get(operationId) ?? [];
    const before = ({ takenAt }: Counted) => takenAt !== undefined && takenAt < arrivedAt;
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
  owed: readonly Owed[],
  arrivals: readonly Arrival[],
  find: Find,
): void {
  const shows = { owed, arrivals };
  for (const { sequence } of missing(arrivals, owed))
    find(`a webhook never came: the one with sequence ${sequence}`, shows);
  if (outOfOrder(arrivals, owed) > 0) find('webhooks came out of order, or were not owed', shows);
  if (otherBytes(arrivals) > 0) find('a webhook came again with another body', shows);
}
