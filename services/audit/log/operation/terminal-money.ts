import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { FlagViolation } from '../../report/findings/report-violation.ts';
import { formatExactMinor, exactFigures, parseExactMinor, sumAmounts } from './exact-arithmetic.ts';
import {
  isEnding,
  findLedgerCurrency,
  findFxRate,
  auditedRoute,
  type OperationFacts,
} from './fold.ts';

type TerminalEvent = Extract<OperationEvent, { data: { settlement_amount: string } }>;

/** Checks the money of a terminal event. `facts`: after the event was applied. */
export function judgeEnd(facts: OperationFacts, event: OperationEvent, flag: FlagViolation): void {
  if (!isEnding(event.type)) return;
  const ending = event as TerminalEvent;
  judgeMoney(facts, ending, flag);
  flag('operation.figures', whyNotFigures(facts, ending));
  flag('operation.payout_declined_unknown', whyNotDeclined(facts, ending));
  flag('receipts.not_shown', whyNotEvidence(facts));
}

/**
 * Only a provider's report can state that its legs are all of the evidence; a person's decision
 * needs no such statement.
 */
function whyNotEvidence({ end, reviewed, closed, legs }: OperationFacts): string | undefined {
  if (end?.evidence !== 'legs' || (!reviewed && !closed)) return undefined;
  const shown = legs.find(({ amount, synthetic }) => !synthetic && parseExactMinor(amount) !== 0n);
  return shown && `leg ${shown.legId} is recorded as evidence, but no report ended the operation`;
}

function judgeMoney(
  facts: OperationFacts,
  { type, data }: TerminalEvent,
  flag: FlagViolation,
): void {
  const actual = parseExactMinor(data.actual_amount);
  const legs = sumAmounts(facts.legs.map(({ amount }) => amount));
  if (legs !== actual)
    flag(
      'operation.legs',
      `actual_amount is ${data.actual_amount}, its legs add up to ${formatExactMinor(legs)}`,
    );
  const ids = facts.legs.map(({ legId }) => legId);
  const twice = ids.find((legId, index) => ids.indexOf(legId) !== index);
  if (twice !== undefined) flag('operation.legs', `leg ${twice} is counted twice`);
  const expected = parseExactMinor(facts.amount);
  const fits =
    type === 'OperationCompleted'
      ? actual >= expected
      : type === 'OperationPartiallyCompleted'
        ? actual > 0n && actual < expected
        : actual === 0n;
  if (!fits)
    flag('operation.end_kind', `${type} with ${data.actual_amount} of ${facts.amount} expected`);
}

function whyNotFigures(facts: OperationFacts, { type, data }: TerminalEvent): string | undefined {
  const withMoney = type === 'OperationCompleted' || type === 'OperationPartiallyCompleted';
  const stated = `recorded ${data.recorded_amount ?? 'nothing'}, commission ${data.commission_amount}, settlement ${data.settlement_amount}`;
  if (!withMoney) {
    const nothing =
      data.recorded_amount === undefined &&
      parseExactMinor(data.commission_amount) === 0n &&
      parseExactMinor(data.settlement_amount) === 0n;
    return nothing ? undefined : `${type} has figures without money: ${stated}`;
  }
  const route = auditedRoute(facts);
  if (!route) return `${type} without a route for its figures`;
  const due = exactFigures(parseExactMinor(data.actual_amount), {
    type: facts.type,
    currency: findLedgerCurrency(facts),
    commission: route.commission,
    fxRate: route.settlementCurrency === undefined ? undefined : findFxRate(facts),
  });
  const same =
    data.recorded_amount !== undefined &&
    parseExactMinor(data.recorded_amount) === due.recorded &&
    parseExactMinor(data.commission_amount) === due.commission &&
    parseExactMinor(data.settlement_amount) === due.settlement;
  if (same) return undefined;
  const wanted = `recorded ${formatExactMinor(due.recorded)}, commission ${formatExactMinor(due.commission)}, settlement ${formatExactMinor(due.settlement)}`;
  const { percent, fixed } = route.commission;
  return `${stated}; ${data.actual_amount} at rate ${findFxRate(facts) ?? '1'}, ${percent} % and ${fixed} gives ${wanted}`;
}

/** A provider's silence is no refusal (R7.6), unless an admin decided so. */
function whyNotDeclined(facts: OperationFacts, { type }: TerminalEvent): string | undefined {
  if (facts.type !== 'payout' || type !== 'OperationDeclined' || facts.closed) return undefined;
  const unknown = facts.attempts.find(
    ({ outcome, dispatched }) => dispatched && (outcome === 'started' || outcome === 'unresolved'),
  );
  return unknown && `declined while attempt ${unknown.attempt} is ${unknown.outcome}`;
}
