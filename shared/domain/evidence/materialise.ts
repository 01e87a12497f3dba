import { compare, isZero, sum } from '../money.ts';
import type { Leg } from '../operation/events.ts';
import { findAttempt, type Operation } from '../operation/state.ts';
import type { Evidence, EvidenceItem } from './events.ts';

/** A provider's evidence for a leg; several where it came in several transfers. */
export type ShownItem = Omit<Leg, 'synthetic'> & { synthetic: boolean };

/** A UUID derived from a text. */
type UuidOf = (text: string) => string;

/** Whether the provider may still get evidence for a leg. */
export type Awaits = (leg: Leg) => boolean;

/**
 * The legs that a provider reported and has evidence for; not those that an operator approved.
 */
export const legsToShow = (operation: Operation): Leg[] =>
  operation.legs.filter((leg) => !leg.synthetic && !isZero(leg.amount));

/**
 * The evidence of an operation that has ended with money, from the accepted attempt's provider.
 * Evidence of other legs, such as late money, is left out. A leg whose evidence has another amount,
 * or is missing for good, is given with the leg's own amount: the provider may have corrected it
 * since, and the operation doesn't change.
 * @returns undefined while a leg's evidence is missing: then no part is given out (R10.6)
 */
export function materialise(
  operation: Operation,
  shown: readonly ShownItem[],
  { uuidOf, awaits }: { uuidOf: UuidOf; awaits: Awaits },
): Evidence | undefined {
  const by = acceptedBy(operation);
  if (!by) return undefined;
  const usedIds = new Set<string>();
  const items: EvidenceItem[] = [];
  for (const leg of operation.legs) {
    if (isZero(leg.amount)) continue;
    const parts = legEvidence(leg, { shown, awaits });
    if (!parts) return undefined;
    for (const part of parts) {
      const of = { operationId: operation.operationId, legId: part.leg_id };
      const receipt_id = receiptIdFor(of, usedIds, uuidOf);
      usedIds.add(receipt_id);
      items.push(toItem(receipt_id, part, by));
    }
  }
  return toEvidence(operation, items);
}

/** The evidence if the legs are all of it; undefined if the provider has to be polled. */
export function evidenceInLegs(operation: Operation, uuidOf: UuidOf): Evidence | undefined {
  const by = acceptedBy(operation);
  if (operation.evidence !== 'legs' || !by) return undefined;
  const { operationId } = operation;
  const items = operation.legs
    .filter(({ amount }) => !isZero(amount))
    .map((leg) => itemOfLeg(leg, { operationId, ...by, uuidOf }));
  return toEvidence(operation, items);
}

type ItemLeg = Omit<Leg, 'synthetic'> & { synthetic?: boolean | undefined };
type By = { attempt: number; provider: string };

/** A leg as an item of its own: of the provider's report, or of an operator's approval. */
export function itemOfLeg(
  leg: ItemLeg,
  { operationId, uuidOf, ...by }: By & { operationId: string; uuidOf: UuidOf },
): EvidenceItem {
  const { leg_id } = leg;
  // From the leg alone, so that the order of the legs does not change the id.
  const own = uuidPattern.test(leg_id) && leg_id === leg_id.toLowerCase();
  return toItem(own ? leg_id : uuidOf(JSON.stringify([operationId, leg_id])), leg, by);
}

/** The accepted attempt, and its provider. */
function acceptedBy(operation: Operation): By | undefined {
  const attempt = operation.accepted && findAttempt(operation, operation.accepted.attempt);
  return attempt && { attempt: attempt.attempt, provider: attempt.route.provider };
}

const toItem = (
  receipt_id: string,
  { leg_id, amount, completed_at, file, synthetic = false }: ItemLeg,
  { attempt, provider }: By,
): EvidenceItem => ({
  receipt_id,
  leg_id,
  attempt,
  provider,
  amount,
  completed_at,
  file: file && !synthetic,
  synthetic,
});

const toEvidence = ({ operationId, shopId }: Operation, items: EvidenceItem[]): Evidence => ({
  operation_id: operationId,
  shop_id: shopId,
  status: items.some(({ synthetic }) => synthetic) ? 'partial' : 'complete',
  items,
});

/** The evidence of a leg; undefined while the provider may still get it. */
function legEvidence(
  leg: Leg,
  { shown, awaits }: { shown: readonly ShownItem[]; awaits: Awaits },
): readonly ShownItem[] | undefined {
  const parts = leg.synthetic ? [] : shown.filter(({ leg_id }) => leg_id === leg.leg_id);
  const total = sum(parts.map(({ amount }) => amount));
  if (parts.length > 0 && compare(total, leg.amount) === 0) return parts;
  if (!leg.synthetic && parts.length === 0 && awaits(leg)) return undefined;
  return [{ ...leg, synthetic: true }];
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The leg's own id if that is a UUID that no other item has, else a derived one. */
function receiptIdFor(
  { operationId, legId }: { operationId: string; legId: string },
  usedIds: ReadonlySet<string>,
  uuidOf: UuidOf,
): string {
  const own = legId.toLowerCase();
  if (uuidPattern.test(own) && !usedIds.has(own)) return own;
  return uuidOf(JSON.stringify([operationId, legId, usedIds.size]));
}
