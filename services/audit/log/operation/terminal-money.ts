import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { RuleCode } from '#shared/domain/audit/rules.ts';
import { amountOf, exactFigures, minorOf, totalOf } from './exact-arithmetic.ts';
import { isEnding, rateOf, routeOf, type OperationFacts } from './fold.ts';

type Violation = [rule: RuleCode, message: string];
type Ending = Extract<OperationEvent, { data: { settlement_amount: string } }>;

/** Violations in the money of a terminal event. `facts`: after the event was applied. */
export function endViolations(facts: OperationFacts, event: OperationEvent): Violation[] {
  if (!isEnding(event.type)) return [];
  const ending = event as Ending;
  return [
    ...moneyOf(facts, ending),
    ...figuresOf(facts, ending),
    ...payoutEnd(facts, ending),
    ...evidenceOf(facts),
  ];
}

/**
 * Only a provider's report can state that its legs are all of the evidence; a person's decision
 * needs no such statement.
 */
function evidenceOf({ end, reviewed, closed, legs }: OperationFacts): Violation[] {
  if (end?.evidence !== 'legs' || (!reviewed && !closed)) return [];
  const shown = legs.find(({ amount, synthetic }) => !synthetic && minorOf(amount) !== 0n);
  if (!shown) return [];
  return [
    [
      'receipts.not_shown',
      `leg ${shown.legId} is recorded as evidence, but no report ended the operation`,
    ],
  ];
}

function moneyOf(facts: OperationFacts, { type, data }: Ending): Violation[] {
  const violations: Violation[] = [];
  const actual = minorOf(data.actual_amount);
  const legs = totalOf(facts.legs.map(({ amount }) => amount));
  if (legs !== actual)
    violations.push([
      'operation.legs',
      `actual_amount is ${data.actual_amount}, its legs add up to ${amountOf(legs)}`,
    ]);
  const ids = facts.legs.map(({ legId }) => legId);
  const twice = ids.find((legId, index) => ids.indexOf(legId) !== index);
  if (twice !== undefined) violations.push(['operation.legs', `leg ${twice} is counted twice`]);
  const expected = minorOf(facts.amount);
  const fits =
    type === 'OperationCompleted'
      ? actual >= expected
      : type === 'OperationPartiallyCompleted'
        ? actual > 0n && actual < expected
        : actual === 0n;
  if (!fits)
    violations.push([
      'operation.end_kind',
      `${type} with ${data.actual_amount} of ${facts.amount} expected`,
    ]);
  return violations;
}

function figuresOf(facts: OperationFacts, { type, data }: Ending): Violation[] {
  const withMoney = type === 'OperationCompleted' || type === 'OperationPartiallyCompleted';
  const stated = `recorded ${data.recorded_amount ?? 'nothing'}, commission ${data.commission_amount}, settlement ${data.settlement_amount}`;
  if (!withMoney) {
    const nothing =
      data.recorded_amount === undefined &&
      minorOf(data.commission_amount) === 0n &&
      minorOf(data.settlement_amount) === 0n;
    return nothing ? [] : [['operation.figures', `${type} has figures without money: ${stated}`]];
  }
  const route = routeOf(facts);
  if (!route) return [['operation.figures', `${type} without a route for its figures`]];
  const due = exactFigures(minorOf(data.actual_amount), {
    type: facts.type,
    commission: route.commission,
    fxRate: route.settlementCurrency === undefined ? undefined : rateOf(facts),
  });
  const same =
    data.recorded_amount !== undefined &&
    minorOf(data.recorded_amount) === due.recorded &&
    minorOf(data.commission_amount) === due.commission &&
    minorOf(data.settlement_amount) === due.settlement;
  if (same) return [];
  const wanted = `recorded ${amountOf(due.recorded)}, commission ${amountOf(due.commission)}, settlement ${amountOf(due.settlement)}`;
  const { percent, fixed } = route.commission;
  return [
    [
      'operation.figures',
      `${stated}; ${data.actual_amount} at rate ${rateOf(facts) ?? '1'}, ${percent} % and ${fixed} gives ${wanted}`,
    ],
  ];
}

/** A provider's silence is no refusal (R7.6), unless an admin decided so. */
function payoutEnd(facts: OperationFacts, { type }: Ending): Violation[] {
  if (facts.type !== 'payout' || type !== 'OperationDeclined' || facts.closed) return [];
  const unknown = facts.attempts.find(
    ({ outcome, dispatched }) => dispatched && (outcome === 'started' || outcome === 'unresolved'),
  );
  if (!unknown) return [];
  return [
    [
      'operation.payout_declined_unknown',
      `declined while attempt ${unknown.attempt} is ${unknown.outcome}`,
    ],
  ];
}
