import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { parseExactMinor } from './exact-arithmetic.ts';
import { isEnding, type OperationFacts } from './fold.ts';
import type { RoutingContext } from './judge-routing.ts';

/** Checks an event against the decision of a person, and remembers who decided. */
export function judgeDecision({ facts, event, envelope, flag }: RoutingContext): void {
  if (!facts.end)
    for (const message of findContradictions(facts, event)) flag('operation.decided', message);
  const isDecision = event.type === 'ReviewDecided' || event.type === 'CloseDecided';
  if (!isDecision && !isEnding(event.type)) return;
  const { actor, tokenId } = envelope;
  const caller = tokenId === undefined ? actor : `${actor} (token ${tokenId})`;
  flag('authority.decision', whyNotDecided(facts, { type: event.type, actor: caller }));
  if (isDecision) facts.decidedBy = caller;
}

/**
 * How an event contradicts a person's decision, or adds money without one: only an approval adds
 * money that no provider reported (R9.9). `facts`: before the event.
 */
function findContradictions(facts: OperationFacts, event: OperationEvent): string[] {
  const { reviewed, approved, closed } = facts;
  const { data, type } = event;
  if (type === 'ReviewDecided')
    return data.decision === 'approve' && data.actual_amount === undefined
      ? ['an approval names no amount']
      : [];
  const isApproved = reviewed === 'approve' && isEnding(type);
  const fresh = 'legs' in data ? data.legs : 'leg' in data && data.leg ? [data.leg] : [];
  const contradictions = fresh.flatMap(({ leg_id: id, amount, synthetic = false }) => {
    if (synthetic && !isApproved) return [`${amount} of leg ${id} is not approved money`];
    const decided = reviewed !== undefined || closed === true;
    return decided && !synthetic
      ? [`${amount} of leg ${id} is added by a decision, but no provider reported it`]
      : [];
  });
  if (!isApproved || approved === undefined || !('actual_amount' in data)) return contradictions;
  if (parseExactMinor(data.actual_amount ?? '0.00') === parseExactMinor(approved))
    return contradictions;
  return [...contradictions, `${approved} was approved, but ${data.actual_amount} is counted`];
}

/** An operator ends an operation by a decision of one's own, in one append with it. */
function whyNotDecided(
  { decidedBy }: OperationFacts,
  { type, actor }: { type: string; actor: string },
): string | undefined {
  if (!isEnding(type) || !actor.startsWith('operator:') || decidedBy === actor) return undefined;
  return decidedBy === undefined
    ? `${type} by ${actor}, who made no decision`
    : `${type} by ${actor} follows a decision by ${decidedBy}`;
}
