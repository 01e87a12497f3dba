import type { Subject } from '#shared/domain/audit/subjects.ts';
import { isTerminalEventType } from '#shared/domain/operation/events.ts';
import { commands, whatIsDone } from '../../authority/commands.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';

/** How many things of each kind were checked. A kind with none is absent. */
export type CheckCounts = Partial<Record<Subject, number>>;

const paid: Subject[] = ['ends', 'paid_ends'];

/**
 * The kinds that an event counts as, besides an event of the log; for ledger entries by their kind.
 */
const subjectsByType: Readonly<Record<string, readonly Subject[]>> = {
  AttemptStarted: ['attempts'],
  OperationCompleted: paid,
  OperationPartiallyCompleted: paid,
  OperationDeclined: ['ends'],
  OperationExpired: ['ends'],
  OperationCancelled: ['ends', 'cancels'],
  ReservationRequested: ['reservation_requests'],
  FundsReserved: ['funded'],
  ReviewDecided: ['reviews'],
  AttemptAccepted: ['with_personal'],
  OperationAdmitted: ['with_personal'],
  LateMoneyReceived: ['late_money', 'late_transfers'],
  MoneyReturned: ['late_money', 'money_returned'],
  DifferenceReported: ['late_money'],
  ApprovedMoneyConfirmed: ['late_transfers'],
  'EntryPosted reserve': ['reserves'],
  'EntryPosted credit': ['settlements'],
  'EntryPosted capture': ['settlements'],
  'EntryPosted suspense': ['suspense'],
  'EntryPosted resolution': ['resolutions'],
  'EntryPosted adjustment': ['adjustments'],
  AdjustmentRequested: ['adjustment_requests'],
  EvidenceMaterialised: ['evidence'],
  StatementFindingClosed: ['closed_findings'],
  'StatementImported provider': ['statements'],
  'StatementImported file': ['statements'],
  PayoutBatchConfirmed: ['confirmed_files'],
  PersonalKeyRetired: ['keys'],
  PersonalDataErasureRequested: ['erasures'],
  PersonalDataErased: ['erasures'],
};

/** What the events of a stream count as, by the part of its name before the first hyphen. */
const subjectsByStream: Readonly<Record<string, readonly Subject[]>> = {
  operation: ['operation_events'],
  ledger: ['entries'],
  late: ['late_facts'],
  checkpoints: ['signed_roots'],
  checkpoint: ['setup'],
  shop: ['setup'],
  merchant: ['setup'],
  operators: ['setup'],
  members: ['setup'],
  directory: ['setup'],
};

const subjectsByActor: Readonly<Record<string, Subject>> = {
  merchant: 'by_merchants',
  member: 'by_members',
  operator: 'by_operators',
  payer: 'by_payers',
};

export function createCheckCounts() {
  const counts: CheckCounts = {};
  let events = 0;
  let openOperations = 0;
  const add = (subject: Subject, more = 1) =>
    void (counts[subject] = (counts[subject] ?? 0) + more);
  return {
    counts: counts as Readonly<CheckCounts>,
    add,
    figures: () => {
      const { operations = 0, entries = 0 } = counts;
      return { events, operations, entries, openOperations };
    },
    /** To be called after the judge has applied the event. */
    take: (envelope: EventEnvelope): void => {
      const { stream, revision } = envelope.event;
      const what = whatIsDone(envelope);
      events += 1;
      if (what === 'OperationAdmitted') openOperations += 1;
      else if (isTerminalEventType(envelope.type)) openOperations -= 1;
      const kind = stream.split('-', 1)[0] ?? '';
      for (const subject of subjectsByStream[kind] ?? []) add(subject);
      for (const subject of subjectsByType[what] ?? []) add(subject);
      const actor = subjectsByActor[envelope.actor.slice(0, envelope.actor.indexOf(':'))];
      if (actor) add(actor);
      if (commands.has(what)) add('commands');
      if (kind === 'operation' && revision === 0) add('operations');
      if (what === 'OperationAdmitted' && (envelope.data as { type?: unknown }).type === 'payout')
        add('payouts');
    },
  };
}
