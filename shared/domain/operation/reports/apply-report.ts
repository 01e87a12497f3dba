import { compare, sum, zero } from '../../money.ts';
import { closing } from '../ends/terminal-events.ts';
import type { OperationEvent } from '../events.ts';
import { evolve } from '../evolve.ts';
import { flagged, isUndecided, unreviewed } from '../receipt/provider-review.ts';
import { findAttempt, mayCountLegs, type Operation, type OperationState } from '../state.ts';
import { reportedEnd } from './end-of-report.ts';
import { lateFacts, lateReturns, lateStatus, type LateFact } from './late-facts.ts';
import { isAcceptedAndOpen, isOvertaken, type ProviderReport } from './report.ts';
import { netOfReturns, returnsBy } from './returns.ts';

type ReportDecision = { events: OperationEvent[]; late: LateFact[] };

/**
 * Applies a provider's report to the operation: the provider's current legs, then the terminal
 * status where the provider reports one or all the expected money was received.
 */
export function applyReport(state: OperationState, report: ProviderReport): ReportDecision {
  if (state.phase !== 'admitted') return { events: [], late: [] };
  const counted = mayCountLegs(state, report.attempt) ? state.legs : [];
  const recorded = new Set(counted.map((leg) => leg.leg_id));
  // Each id is added as it is seen, so that a duplicate within one report counts once.
  const fresh = report.legs.filter((leg) => !recorded.has(leg.leg_id) && recorded.add(leg.leg_id));
  if (!findAttempt(state, report.attempt) || isOvertaken(state, report))
    return { events: [], late: [] };
  if (!isAcceptedAndOpen(state, report.attempt))
    return { events: [], late: lateFacts(state, report, fresh) };

  const by = report.version !== undefined && { report_version: report.version };
  const corrections = correctionsBy(state, report);
  const corrected = corrections.reduce<OperationState>(evolve, state) as Operation;
  const back = returnsBy(corrected, { report, fresh, by });
  const changes = [...corrections, ...back.events];
  const current = back.events.reduce<OperationState>(evolve, corrected) as Operation;
  const late = lateReturns(current, report);
  const received = sum([...current.legs, ...back.fresh].map((leg) => leg.amount));
  const end = reportedEnd(current, report, received);
  if (end && !isUndecided(current, { report, end })) {
    const declinedBy = report.review?.state === 'declined' ? 'review' : 'provider';
    const net = { ...report, legs: netOfReturns(current, report.legs) };
    const closed = closing(current, end, { received, fresh: back.fresh, declinedBy, report: net });
    const ended = { ...closed, data: { ...closed.data, ...by } } as OperationEvent;
    // Recorded with the end, because a repeat of the report adds nothing (R13.1).
    const against = lateStatus(evolve(current, ended) as Operation, report, []);
    return { events: [...changes, ended], late: [...late, ...against] };
  }
  const legs = back.fresh.map((leg): OperationEvent => ({
    type: 'LegReceived',
    data: { attempt: report.attempt, leg, ...by },
  }));
  const review = end ? unreviewed(state) : flagged(state, report.review);
  return { events: [...changes, ...legs, ...review], late };
}

/**
 * A provider's corrections: legs that a newer report has with another amount, or omits.
 */
function correctionsBy(
  state: Operation,
  { attempt, version, legs }: ProviderReport,
): OperationEvent[] {
  if (version === undefined || version === state.reportVersion) return [];
  const netLegs = netOfReturns(state, legs);
  return state.legs.flatMap((recorded): OperationEvent[] => {
    const leg = netLegs.find(({ leg_id: id }) => id === recorded.leg_id) ?? {
      ...recorded,
      amount: zero,
    };
    if (compare(leg.amount, recorded.amount) === 0) return [];
    return [
      {
        type: 'LegCorrected',
        data: { attempt, leg, was: recorded.amount, report_version: version },
      },
    ];
  });
}
