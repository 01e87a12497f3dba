import { figuresFor } from '../figures.ts';
import { compare, isZero, sum, zero, type Amount } from '../money.ts';
import type { Leg, ManualCheckReason, OperationEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { attemptOf, hasMoney, isTerminal, rateOf, type Operation, type OperationState } from './state.ts';

/**
 * What a provider says of an attempt, whole: every report tells all that the provider knows, so that a report that
 * comes twice, late or out of order adds nothing.
 */
export type ProviderReport = {
  attempt: number;
  /** A newer report has a higher one. From a provider that has none it can't be told what is news: legs only add. */
  version?: number | undefined;
  status: 'open' | 'completed' | 'partially_completed' | 'declined' | 'expired' | 'withdrawn';
  /**
   * All money that came for this attempt, oldest first. A leg is known again by its id, which must be the operation's own:
   * a connector whose provider counts from 1 in every attempt puts the attempt before it.
   */
  legs: readonly Leg[];
  /** The provider says that these legs are all that it can show for the money: nobody need ask it for evidence. */
  evidence?: 'legs' | undefined;
  /** How the review of the newest receipt that the provider was given stands. */
  review?: ReportedReview | undefined;
};

export type ReportedReview = {
  receiptId: string;
  state: 'waiting' | 'approved' | 'flagged' | 'declined';
  reason?: ManualCheckReason | undefined;
};

/** What came too late or contradicts what is settled: for the `late-` stream and an operator (R13.7). */
export type LateFact =
  { kind: 'late_money'; leg: Leg } | { kind: 'late_status'; status: ProviderReport['status'] };

export type ReportDecision = { events: OperationEvent[]; late: LateFact[] };

/** Whether the operation goes on, and goes by this attempt: else what is reported of it comes too late. */
export const goesBy = (state: Operation, attempt: number): boolean =>
  state.accepted?.attempt === attempt && !isTerminal(state.status);

/** A newer report has said otherwise since. */
export const isOvertaken = (
  state: Operation,
  { attempt, version }: Pick<ProviderReport, 'attempt' | 'version'>,
): boolean =>
  state.accepted?.attempt === attempt && version !== undefined && version < (state.reportVersion ?? version);

/**
 * Takes a provider's report into the operation: legs as the provider now has them, then the end where the provider says
 * so or the money that was expected is there.
 */
export function applyReport(state: OperationState, report: ProviderReport): ReportDecision {
  if (state.phase !== 'admitted') return { events: [], late: [] };
  const known = new Set(state.legs.map((leg) => leg.leg_id));
  // Marked as it is taken: one leg that a report names twice is still one.
  const fresh = report.legs.filter((leg) => !known.has(leg.leg_id) && known.add(leg.leg_id));
  if (!attemptOf(state, report.attempt) || isOvertaken(state, report)) return { events: [], late: [] };
  if (!goesBy(state, report.attempt)) return { events: [], late: lateFacts(state, report, fresh) };

  const corrections = correctionsBy(state, report);
  const current = corrections.reduce<OperationState>(evolve, state) as Operation;
  const received = sum([...current.legs, ...fresh].map((leg) => leg.amount));
  const by = report.version !== undefined && { report_version: report.version };
  const end = endOf(current, report, received);
  if (end && !isUndecided(current, { report, end })) {
    const declinedBy = report.review?.state === 'declined' ? 'review' : 'provider';
    const ended = closing(current, end, { received, fresh, declinedBy, report });
    return {
      events: [...corrections, { ...ended, data: { ...ended.data, ...by } } as OperationEvent],
      late: [],
    };
  }
  const legs = fresh.map((leg): OperationEvent => ({
    type: 'LegReceived',
    data: { attempt: report.attempt, leg, ...by },
  }));
  const review = end ? unreviewed(state) : flagged(state, report.review);
  return { events: [...corrections, ...legs, ...review], late: [] };
}

/** Legs that a newer report has with another amount, or has no more. */
function correctionsBy(state: Operation, { attempt, version, legs }: ProviderReport): OperationEvent[] {
  if (version === undefined || version === state.reportVersion) return [];
  return state.legs.flatMap((known): OperationEvent[] => {
    const leg = legs.find(({ leg_id: id }) => id === known.leg_id) ?? { ...known, amount: zero };
    if (compare(leg.amount, known.amount) === 0) return [];
    return [{ type: 'LegCorrected', data: { attempt, leg, was: known.amount, report_version: version } }];
  });
}

/** A window that ended does not end a payment whose receipt somebody has to decide on (R6.7). */
const isUndecided = (state: Operation, { report, end }: { report: ProviderReport; end: End }): boolean =>
  report.status === 'expired' && end !== 'completed' && state.receiptUnderReview !== undefined;

/** The provider will not decide any more: a person does. */
function unreviewed({ status, receiptUnderReview }: Operation): OperationEvent[] {
  if (status !== 'awaiting_confirmation' || receiptUnderReview === undefined) return [];
  return [{ type: 'ManualCheckStarted', data: { receipt_id: receiptUnderReview, reason: 'not_terminal' } }];
}

/** A receipt that was flagged waits for a person (R9.7), with the reason as far as one was given. */
function flagged(state: Operation, review: ReportedReview | undefined): OperationEvent[] {
  if (review?.state !== 'flagged' || review.receiptId !== state.receiptUnderReview) return [];
  const { receiptId, reason } = review;
  const news =
    state.status === 'awaiting_confirmation' ||
    (state.status === 'manual_check' && reason !== undefined && reason !== state.manualCheckReason);
  if (!news) return [];
  return [{ type: 'ManualCheckStarted', data: { receipt_id: receiptId, ...(reason && { reason }) } }];
}

/** Ends a payment whose payable window ran out without money. A payout has none: its provider may yet carry it out. */
export function expire(state: OperationState, nowIso: string): { events: OperationEvent[] } {
  if (state.phase !== 'admitted' || isTerminal(state.status)) return { events: [] };
  if (state.type === 'payout') return { events: [] };
  const expiresAt = state.accepted?.expiresAt;
  // A receipt that is being looked at may show a transfer in time.
  const open = hasMoney(state) || state.receiptUnderReview !== undefined;
  if (expiresAt === undefined || nowIso < expiresAt || open) return { events: [] };
  return { events: [closing(state, 'expired', { received: zero, fresh: [] })] };
}

type End = 'completed' | 'partially_completed' | 'declined' | 'expired';

function endOf(state: Operation, report: ProviderReport, received: Amount): End | undefined {
  const money = !isZero(received);
  const enough = compare(received, state.request.amount) >= 0;
  switch (report.status) {
    case 'open':
      return enough ? 'completed' : undefined;
    case 'completed':
    case 'partially_completed':
      // An end without any money is a contradiction of the provider's own: wait for what it says next.
      return enough ? 'completed' : money ? 'partially_completed' : undefined;
    // Whatever the provider calls it: all the money that was expected completes it (R6.4).
    case 'declined':
      return enough ? 'completed' : money ? 'partially_completed' : 'declined';
    case 'expired':
    case 'withdrawn':
      if (money) return enough ? 'completed' : 'partially_completed';
      // A review ends with a decision (R6.7), and only a payment has a window that can end.
      return state.type === 'payment' && state.status !== 'manual_check' ? 'expired' : 'declined';
  }
}

/** The event that ends an operation, with the figures of the money that came (R5.4). */
export function closing(
  state: Operation,
  end: End,
  money: {
    received: Amount;
    fresh: readonly Leg[];
    declinedBy?: 'provider' | 'review' | 'close';
    /** The provider's word that ends it, where it is that. */
    report?: ProviderReport;
  },
): OperationEvent {
  if (end === 'declined' || end === 'expired') {
    const figures = { actual_amount: zero, settlement_amount: zero, commission_amount: zero };
    return end === 'expired'
      ? { type: 'OperationExpired', data: figures }
      : { type: 'OperationDeclined', data: { ...figures, reason: money.declinedBy ?? 'provider' } };
  }
  const route = state.accepted && attemptOf(state, state.accepted.attempt)?.route;
  if (!route) throw new Error('an operation without an accepted attempt can have no money');
  const figures = figuresFor(money.received, {
    type: state.type,
    commission: route.commission,
    fxRate: rateOf(state),
  });
  const whole = [...state.legs, ...money.fresh].every((leg) => isShown(leg, money.report));
  return {
    type: end === 'completed' ? 'OperationCompleted' : 'OperationPartiallyCompleted',
    data: {
      actual_amount: money.received,
      ...figures,
      legs: [...money.fresh],
      ...(whole && { evidence: 'legs' as const }),
    },
  };
}

/** Whether a leg, as it is kept, is all that its provider has to show for it. */
function isShown(leg: Leg, report: ProviderReport | undefined): boolean {
  // An operator's word is nobody else's to show, and what was taken back shows nothing.
  if (leg.synthetic || isZero(leg.amount)) return true;
  if (report?.evidence !== 'legs') return false;
  const [shown, ...more] = report.legs.filter(({ leg_id: id }) => id === leg.leg_id);
  return (
    shown !== undefined &&
    more.length === 0 &&
    compare(shown.amount, leg.amount) === 0 &&
    shown.completed_at === leg.completed_at &&
    shown.file === leg.file
  );
}

function lateFacts(state: Operation, report: ProviderReport, fresh: readonly Leg[]): LateFact[] {
  return [
    ...fresh.map((leg): LateFact => ({ kind: 'late_money', leg })),
    ...(contradicts(state, report, fresh) ? [{ kind: 'late_status', status: report.status } as const] : []),
  ];
}

/** Whether a report means another end than the operation's own. The report that ended it, come again, does not. */
function contradicts(state: Operation, report: ProviderReport, fresh: readonly Leg[]): boolean {
  if (report.status === 'open' || report.status === 'withdrawn' || report.status === state.status)
    return false;
  // That nothing came of an attempt that lost is as it should be.
  if (state.accepted?.attempt !== report.attempt)
    return report.status === 'completed' || report.status === 'partially_completed';
  // No end without money is what a completed operation came to, whatever its legs add up to.
  if (state.status === 'completed' && (report.status === 'declined' || report.status === 'expired'))
    return true;
  // What an operator approved is no word of the provider's: the legs that it reports since are that money.
  const told = [...state.legs.filter(({ synthetic }) => !synthetic), ...fresh];
  const received = sum(told.map((leg) => leg.amount));
  return (endOf(state, report, received) ?? report.status) !== state.status;
}
