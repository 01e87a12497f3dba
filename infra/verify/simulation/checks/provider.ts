import { decodeLateEvent, lateStream } from '#shared/domain/late/events.ts';
import {
  decodeOperationEvent,
  isTerminalEventType,
  operationStream,
  type OperationEvent,
} from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import type { Files } from '../files.ts';
import type { SimulatedLog } from '../log.ts';
import type { SimulatedOperation } from '../people/merchant.ts';
import type { ProviderAttempt } from '../provider/attempt.ts';
import { arrivalMs } from '../provider/simulated-provider.ts';
import { checkAmounts } from './amounts.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';

type CheckInput = {
  log: SimulatedLog;
  files: Files;
  /** Of all operations, at all providers. */
  attempts: readonly ProviderAttempt[];
  operation: SimulatedOperation;
};

/**
 * Checks one operation against what its providers did, which no log shows. The audit judges its
 * stream and the ledger.
 */
export function checkOperation({ log, files, attempts, operation }: CheckInput, find: Find): void {
  const { operationId, type } = operation;
  const stored = log.read(operationStream(operationId));
  const reportBroken: Find = (what, shows) =>
    find(what, {
      operationId,
      type,
      events: stored.map(({ type: name, data }) => [name, data]),
      shows,
    });
  const events = stored.map(decodeOperationEvent);
  const end = events.find(({ type: name }) => isTerminalEventType(name));
  // A cancel may claim the key before its create; a payout's create is refused then.
  const cancelledFirst = events[0]?.type === 'OperationCancelledBeforeCreate';
  if (cancelledFirst && type === 'payout' && events.length === 1) return;
  if (!end)
    return reportBroken(
      events.length === 0 ? 'a create was never admitted' : 'an operation never came to an end',
    );
  for (const event of events) {
    const lost =
      event.type === 'ReceiptUploaded' &&
      !files.has(receiptKey(operationId, event.data.receipt_id));
    if (lost) reportBroken('a receipt that was taken is not stored', event);
  }
  checkGivenUp(stored, reportBroken);
  const facts = log.read(lateStream(operationId)).map(decodeLateEvent);
  const late = facts.flatMap((fact) => ('leg' in fact.data ? [fact.data.leg.leg_id] : []));
  const mine = attempts.filter((each) => each.operationId === operationId);
  checkAttempts(
    { attempts: mine, type, known: new Set([...recordedLegIds(events), ...late]), events, end },
    reportBroken,
  );
  checkAmounts({ attempts: mine, events, facts }, reportBroken);
}

/** The wall clock may have been set back by this much since the provider was called. */
const setBackMs = 24_000;

/**
 * A submission that is not repeated may arrive for a while: only after that it is known to be lost.
 */
function checkGivenUp(stored: readonly StoredEvent[], reportBroken: Find): void {
  const [admitted] = stored.map(decodeOperationEvent);
  if (admitted?.type !== 'OperationAdmitted') return;
  const earliestMs = Date.parse(admitted.data.accept_until) + arrivalMs - setBackMs;
  const tooEarly = stored.find((each) => {
    const event = decodeOperationEvent(each);
    const isGivenUp = event.type === 'AttemptRefused' && event.data.reason === 'never_arrived';
    return isGivenUp && each.created.getTime() < earliestMs;
  });
  if (tooEarly) reportBroken('an attempt was given up that might have arrived', tooEarly);
}

function recordedLegIds(events: readonly OperationEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'LegReceived') return [event.data.leg.leg_id];
    if (event.type === 'LegReturned') return [event.data.returned.leg_id];
    return 'legs' in event.data
      ? (event.data.legs as { leg_id: string }[]).map((leg) => leg.leg_id)
      : [];
  });
}

const approvedIn = (events: readonly OperationEvent[]): boolean =>
  events.some((event) => event.type === 'ReviewDecided' && event.data.decision === 'approve');

type Attempts = {
  attempts: readonly ProviderAttempt[];
  type: 'payment' | 'payout';
  /** Legs that the gateway has, in time or late. */
  known: ReadonlySet<string>;
  events: readonly OperationEvent[];
  end: OperationEvent;
};

function checkAttempts({ attempts, type, known, events, end }: Attempts, reportBroken: Find): void {
  const accepted = events.find((event) => event.type === 'AttemptAccepted')?.data.attempt;
  const paid = attempts.filter(({ report }) => report.legs.length > 0);
  for (const attempt of attempts) {
    const { report, acceptance } = attempt;
    if (report.legs.some((leg) => !known.has(leg.leg_id)))
      reportBroken('money that a provider moved is nowhere in the ledger', attempt);
    if (report.returns?.some((back) => !known.has(back.leg_id)))
      reportBroken('money that went back is nowhere in the ledger', attempt);
    // After an approval the provider gets no withdrawal, because the money may still come.
    const approved =
      end.type !== 'OperationDeclined' && approvedIn(events) && report.attempt === accepted;
    if (acceptance === 'accepted' && report.status === 'open' && !approved)
      reportBroken('an attempt is still open at its provider after the end', attempt);
    if (attempt.orders.size > 1) reportBroken('an attempt was sent twice', attempt);
    if (acceptance === 'undecided')
      reportBroken('an attempt is still undecided at its provider after the end', attempt);
  }
  if (type === 'payment') return;
  if (paid.length > 1) reportBroken('a payout was paid twice', paid);
  const [only] = paid;
  const closed = events.some((event) => event.type === 'CloseDecided');
  if (only && only.report.attempt !== accepted && !closed)
    reportBroken('a payout was paid by an attempt that is not its own', only);
  const ours = attempts.find(({ report }) => report.attempt === accepted);
  // Returns before the end leave less money, or none.
  const isUnchanged = (ours?.report.returns ?? []).length === 0 && !closed && !ours?.corrected;
  if (isUnchanged && ours?.report.status === 'completed' && end.type !== 'OperationCompleted')
    reportBroken('a payout that was paid did not complete', ours);
  if (end.type === 'OperationCompleted' && ours?.report.status !== 'completed')
    reportBroken('a payout completed that its provider did not pay', attempts);
}
