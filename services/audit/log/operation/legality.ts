import type { OperationEvent, OperationEventOf } from '#shared/domain/operation/events.ts';
import { exactFigures, parseExactMinor, sumAmounts } from './exact-arithmetic.ts';
import type { AttemptFacts, OperationFacts } from './fold.ts';

/**
 * The auditor's own rules (chapters 6 to 9) for which event may follow, in a table by type. Each
 * rule gives the reason why not, or undefined. `terminal-money.ts` checks the money of an end.
 */
type Later = Exclude<
  OperationEvent['type'],
  'OperationAdmitted' | 'OperationCancelledBeforeCreate'
>;
type Line<Type extends Later> = (
  facts: OperationFacts,
  data: OperationEventOf<Type>['data'],
) => string | false | undefined;

const findAttemptFacts = (facts: OperationFacts, wanted: number): AttemptFacts | undefined =>
  facts.attempts.find(({ attempt }) => attempt === wanted);

const paid = (facts: OperationFacts) => sumAmounts(facts.legs.map(({ amount }) => amount)) > 0n;
const isOpen = ({ status }: OperationFacts) =>
  status === 'pending' || status === 'awaiting_confirmation' || status === 'manual_check';

/**
 * An attempt that waits for its provider's answer: during the create, or a payout whose outcome was
 * unknown.
 */
function awaitsAnswer(facts: OperationFacts, { outcome, dispatched }: AttemptFacts): boolean {
  if (facts.status === 'creating') return outcome === 'started' && dispatched;
  return facts.type === 'payout' && facts.status === 'pending' && outcome === 'unresolved';
}

/** The provider may still have the attempt, although it can no longer succeed. */
function mayBeWithdrawn(
  facts: OperationFacts,
  { attempt, outcome, dispatched }: AttemptFacts,
): boolean {
  if (facts.closed && (outcome === 'accepted' || outcome === 'unresolved')) return true;
  if (outcome === 'unresolved') return facts.type === 'payment';
  if (outcome === 'accepted')
    return (
      facts.accepted?.attempt !== attempt ||
      facts.status === 'cancelled' ||
      facts.reviewed === 'decline' ||
      (facts.older === true && facts.reviewed === 'approve')
    );
  return outcome === 'started' && dispatched && facts.end !== undefined;
}

/** An amount that converts to 0.00 can't be booked (R7.9). */
const leavesNothing = (
  { type, amount }: OperationFacts,
  { fxRate, currency }: { fxRate: string; currency: string },
): boolean => {
  const commission = { percent: '0', fixed: '0.00' };
  return (
    exactFigures(parseExactMinor(amount), { type, currency, commission, fxRate }).recorded === 0n
  );
};

const legality: { [Type in Later]: Line<Type> } = {
  AttemptStarted: (facts, { attempt, route }) => {
    const before = facts.attempts.at(-1);
    const answered =
      before === undefined ||
      before.outcome === 'refused' ||
      (facts.type === 'payment' && before.outcome === 'unresolved') ||
      before.outcome === 'withdrawn';
    if (facts.status !== 'creating') return `a route is tried in status ${facts.status}`;
    if (attempt !== facts.attempts.length + 1)
      return `attempt ${attempt} follows ${facts.attempts.length}`;
    if (!answered)
      return `attempt ${attempt} begins while ${before?.attempt} is ${before?.outcome}`;
    const { type, method, currency, min_amount: min, max_amount: max } = route;
    if (type !== facts.type || method !== facts.method || currency !== facts.currency)
      return `the route is for ${type} ${method} ${currency}, not ${facts.type} ${facts.method} ${facts.currency}`;
    const amount = parseExactMinor(facts.amount);
    if (
      (min !== undefined && amount < parseExactMinor(min)) ||
      (max !== undefined && amount > parseExactMinor(max))
    )
      return `the route takes ${min ?? '0.00'} to ${max ?? 'any amount'}, not ${facts.amount}`;
    return undefined;
  },
  RoutesSkipped: (facts) =>
    facts.status !== 'creating' && `routes are skipped in status ${facts.status}`,
  ReservationRequested: (facts, { reservation, currency, fx_rate }) => {
    const current = facts.attempts.at(-1);
    if (facts.type !== 'payout') return 'a payment reserves nothing';
    if (facts.status !== 'creating' || current?.outcome !== 'started' || current.dispatched)
      return `funds are requested in status ${facts.status}`;
    if (reservation !== current.attempt)
      return `reservation ${reservation} of attempt ${current.attempt}`;
    if (facts.reservations.some((each) => each.reservation === reservation))
      return `reservation ${reservation} is requested twice`;
    const expected = current.settlementCurrency ?? facts.currency;
    if (currency !== expected) return `reserved in ${currency}, not ${expected}`;
    return (
      (fx_rate !== undefined) !== (current.settlementCurrency !== undefined) &&
      'a rate belongs to a converting route, and to no other'
    );
  },
  FundsReserved: (facts, { reservation, attempt }) => {
    const current = facts.attempts.at(-1);
    if (facts.type !== 'payout' || facts.status !== 'creating')
      return `funds are noted in status ${facts.status}`;
    if (current?.attempt !== attempt || current.outcome !== 'started' || current.dispatched)
      return `attempt ${attempt} does not wait for funds`;
    return (
      facts.reservations.at(-1)?.reservation !== reservation &&
      `reservation ${reservation} is not the newest one`
    );
  },
  AttemptAccepted: (
    facts,
    { attempt, confirmation_required: confirmation, fx_rate, requisites },
  ) => {
    if (facts.type === 'payment' && !requisites && !confirmation && !facts.older)
      return 'a payment is accepted without requisites';
    const answered = findAttemptFacts(facts, attempt);
    if (!answered || !awaitsAnswer(facts, answered))
      return `attempt ${attempt} (${answered?.outcome ?? 'unknown'}) is accepted in status ${facts.status}`;
    if (confirmation !== (facts.type === 'payment' && answered.requiresReceipt))
      return `confirmation_required is ${confirmation} against the route`;
    const rate = fx_rate ?? facts.reservations.at(-1)?.fxRate;
    const { settlementCurrency: currency } = answered;
    const converts = currency !== undefined && rate !== undefined;
    if (converts && leavesNothing(facts, { fxRate: rate, currency }) && !facts.older)
      return `accepted at rate ${rate}, which converts ${facts.amount} to zero`;
    return answered.settlementCurrency !== undefined && rate === undefined
      ? 'a converting route is accepted without a rate'
      : answered.settlementCurrency === undefined &&
          fx_rate !== undefined &&
          'a rate without a conversion';
  },
  AttemptRefused: (facts, { attempt }) => {
    const answered = findAttemptFacts(facts, attempt);
    const quoted =
      facts.status === 'creating' && answered?.outcome === 'started' && !answered.dispatched;
    const fits = answered && (quoted || awaitsAnswer(facts, answered));
    return (
      !fits &&
      `attempt ${attempt} (${answered?.outcome ?? 'unknown'}) is refused in status ${facts.status}`
    );
  },
  AttemptUnresolved: (facts, { attempt }) => {
    const answered = findAttemptFacts(facts, attempt);
    const fits =
      facts.status === 'creating' && answered?.outcome === 'started' && answered.dispatched;
    return (
      !fits &&
      `attempt ${attempt} (${answered?.outcome ?? 'unknown'}) is unresolved in status ${facts.status}`
    );
  },
  AttemptWithdrawn: (facts, { attempt }) => {
    const lost = findAttemptFacts(facts, attempt);
    const fits = lost && mayBeWithdrawn(facts, lost);
    return (
      !fits &&
      `attempt ${attempt} (${lost?.outcome ?? 'unknown'}) is withdrawn in status ${facts.status}`
    );
  },
  LegReceived: (facts, { attempt }) => {
    if (!isOpen(facts)) return `money is received in status ${facts.status}`;
    return (
      facts.accepted?.attempt !== attempt &&
      `money is received for attempt ${attempt}, which is not accepted`
    );
  },
  LegCorrected: (facts, { attempt, leg, was }) => {
    if (!isOpen(facts)) return `money is corrected in status ${facts.status}`;
    if (facts.accepted?.attempt !== attempt)
      return `attempt ${attempt} is corrected, which is not accepted`;
    const recordedLeg = facts.legs.find(({ legId }) => legId === leg.leg_id);
    return (
      recordedLeg?.amount !== was &&
      `leg ${leg.leg_id} of ${recordedLeg?.amount ?? 'nothing'} is corrected from ${was}`
    );
  },
  LegReturned: (facts, { attempt, returned, counted, leg }) => {
    if (!isOpen(facts)) return `money is returned in status ${facts.status}`;
    if (facts.accepted?.attempt !== attempt)
      return `money of attempt ${attempt} is returned, which is not accepted`;
    if (facts.returns.some(({ legId }) => legId === returned.leg_id))
      return `${returned.leg_id} is returned twice`;
    const of = facts.legs.find(
      ({ legId, synthetic }) => legId === returned.of_leg_id && !synthetic,
    );
    const had = parseExactMinor(of?.amount ?? '0.00');
    const back = parseExactMinor(returned.amount);
    const due = back < had ? back : had;
    if (parseExactMinor(counted) !== due || parseExactMinor(leg?.amount ?? '0.00') !== had - due)
      return `${returned.amount} of ${of?.amount ?? 'no leg'} is returned, and ${counted} leaves ${leg?.amount ?? 'nothing'}`;
    return (
      (leg?.leg_id ?? of?.legId) !== of?.legId &&
      `another leg than ${returned.of_leg_id} counts less`
    );
  },
  ReceiptUploaded: (facts, { receipt_id: receiptId, sha256 }) => {
    if (facts.status !== 'awaiting_confirmation')
      return `a receipt is uploaded in status ${facts.status}`;
    if (facts.underReview !== undefined)
      return 'a receipt is uploaded while another is under review';
    if (facts.receipts.some((receipt) => receipt.receiptId === receiptId))
      return `two receipts have the id ${receiptId}`;
    return (
      facts.receipts.some((receipt) => receipt.sha256 === sha256) &&
      'the same receipt is uploaded twice'
    );
  },
  ReceiptSubmitted: (facts, { receipt_id: receiptId, attempt }) => {
    const newest = facts.receipts.at(-1);
    if (facts.status !== 'awaiting_confirmation' && facts.status !== 'manual_check')
      return `a receipt is submitted in status ${facts.status}`;
    if (facts.accepted?.attempt !== attempt) return `submitted for attempt ${attempt}`;
    return (
      (newest?.receiptId !== receiptId || newest.submitted || facts.underReview !== receiptId) &&
      `receipt ${receiptId} is not the one to submit`
    );
  },
  ManualCheckStarted: (facts, { receipt_id: receiptId }) => {
    if (facts.status !== 'awaiting_confirmation' && facts.status !== 'manual_check')
      return `a manual check begins in status ${facts.status}`;
    return facts.underReview !== receiptId && `receipt ${receiptId} is not under review`;
  },
  ReviewDecided: (facts, { receipt_id: receiptId, decision }) => {
    if (facts.status !== 'manual_check') return `a review is decided in status ${facts.status}`;
    if (facts.underReview !== receiptId) return `receipt ${receiptId} is not under review`;
    return (
      decision === 'ask_again' &&
      facts.manualCheckReason !== 'not_terminal' &&
      `another receipt is requested after ${facts.manualCheckReason ?? 'a flag without reason'}`
    );
  },
  CloseDecided: (facts) => {
    if (facts.status !== 'pending' && facts.status !== 'awaiting_confirmation')
      return `closed manually from ${facts.status}`;
    return facts.underReview !== undefined && 'closed manually while a receipt is under review';
  },
  OperationCompleted: (facts) =>
    facts.closed
      ? 'closed manually, and completed'
      : !isOpen(facts) && `completed from ${facts.status}`,
  OperationPartiallyCompleted: (facts) =>
    !isOpen(facts) && `partially completed from ${facts.status}`,
  OperationDeclined: (facts, { reason }) => {
    if (facts.status === 'creating') {
      if (reason === 'provider' || reason === 'review' || reason === 'close')
        return `declined by ${reason} while creating`;
      if (reason === 'insufficient_funds' && facts.type === 'payment')
        return 'a payment is declined for insufficient funds';
      return (
        reason === 'no_route' && facts.attempts.length > 0 && 'declined although no route was tried'
      );
    }
    if ((reason === 'close') !== (facts.closed === true))
      return facts.closed
        ? `closed manually, and declined by ${reason}`
        : 'declined by a close without a decision';
    if (reason === 'close') return undefined;
    if (reason !== 'provider' && reason !== 'review')
      return `declined with ${reason} from ${facts.status}`;
    return (
      reason === 'review' && facts.receipts.length === 0 && 'declined by a review without a receipt'
    );
  },
  OperationExpired: (facts) =>
    (facts.status !== 'pending' && facts.status !== 'awaiting_confirmation') || !facts.accepted
      ? `expired from ${facts.status}`
      : undefined,
  OperationCancelled: (facts) => {
    if (facts.status === 'manual_check' || facts.underReview !== undefined)
      return 'cancelled while a receipt is under review';
    return paid(facts) && 'cancelled although money was received';
  },
};

/**
 * Why this event may not follow; undefined if it may. An operator's decision must be followed by
 * the end.
 */
export function whyIllegal(facts: OperationFacts, event: OperationEvent): string | undefined {
  if (event.type === 'OperationAdmitted' || event.type === 'OperationCancelledBeforeCreate')
    return undefined;
  if (
    facts.reviewed !== undefined &&
    facts.end === undefined &&
    !('settlement_amount' in event.data)
  )
    return `${event.type} comes between a review and its terminal status`;
  if (facts.closed && facts.end === undefined && !('settlement_amount' in event.data))
    return `${event.type} comes between a close and its terminal status`;
  const { data } = event;
  if ('report_version' in data && (data.report_version ?? Infinity) < (facts.reportVersion ?? 0))
    return `report ${data.report_version} is applied after report ${facts.reportVersion}`;
  const line = legality[event.type] as Line<Later>;
  return line(facts, event.data) || undefined;
}
