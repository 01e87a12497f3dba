import { projectDecisions } from '#projections/operations/decisions.ts';
import {
  projectEvidence,
  projectLegEvidence,
  projectReceipts,
} from '#projections/operations/evidence.ts';
import { projectLegs, projectReturns } from '#projections/operations/legs.ts';
import { projectOperation } from '#projections/operations/project.ts';
import { projectStatuses, type StatusRow } from '#projections/operations/status-history.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { afterEvent } from '#projections/operations/uploaded-receipts.ts';
import type { RowChange } from '#projections/rows/row-per-stream.ts';
import type { Evidence } from '#shared/domain/evidence/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import {
  exactText,
  formatExactMinor,
  parseExactMinor,
  sumAmounts,
} from '../../log/operation/exact-arithmetic.ts';
import {
  findFxRate,
  findLedgerCurrency,
  isEnding,
  type OperationFacts,
} from '../../log/operation/fold.ts';
import { expectedFigures } from '../../log/operation/message.ts';
import { findOverpaidThreshold } from '../../log/operation/overpaid.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { projectOrSkip } from './put-row.ts';
import type { OperationRows, ReceiptOutcome } from './stored-rows.ts';
import { withDates, type Put, type Row } from './tables.ts';

type EventInput = { event: OperationEvent; envelope: EventEnvelope };
type DetailInput = EventInput & {
  put: Put;
  rows: OperationRows;
  facts: OperationFacts;
  change: RowChange<OperationRow>;
};

/** Applies one event, after the facts have, and puts the rows of details that it changes. */
export function applyToRows(put: Put, entity: AuditedEntity, applied: EventInput): void {
  const { event, envelope } = applied;
  const facts = entity.operation;
  if (!facts) return;
  const known = entity.rows && readRows(entity.rows);
  const before = known?.operation;
  const after = projectOrSkip(() => projectOperation(before, envelope));
  if (!after) return;
  const rows: OperationRows = {
    ...(known ?? { legs: [], uploads: [], outcomes: {} }),
    operation: after,
  };
  const changed = { put, rows, facts, change: { before, after, event: envelope }, event, envelope };
  putStatuses(changed);
  putLegs(changed);
  if (event.type === 'ReviewDecided') rows.reviewDecision = event.data.decision;
  putDecisions(changed);
  putUploads(changed);
  entity.rows = rows;
}

/** Puts the row of gateway.operations, unless it was put and has not changed since. */
export function putOperation(
  put: Put,
  { operation: row, reviewDecision }: OperationRows,
  facts: OperationFacts,
) {
  if (row.updated_at instanceof Date)
    put('operations', row, {
      own: { ...operationMoney(facts), review_decision: reviewDecision ?? null },
      position: Number(row.position),
    });
}

/** Rows from the spill file have times as text. */
function readRows(rows: OperationRows): OperationRows {
  if (rows.operation.updated_at instanceof Date) return rows;
  return {
    ...rows,
    operation: withDates('operations', rows.operation),
    ...(rows.status && { status: withDates('status_history', rows.status) }),
    legs: rows.legs.map((leg) => withDates('legs', leg)),
    uploads: rows.uploads.map((upload) => withDates('uploaded_receipts', upload)),
  };
}

function operationMoney(facts: OperationFacts): Row {
  const { end, legs, reservations, status } = facts;
  const currency = findLedgerCurrency(facts);
  const figures = end ?? expectedFigures(facts);
  return {
    status,
    expected_amount: facts.amount,
    actual_amount: end?.actual ?? formatExactMinor(sumAmounts(legs.map(({ amount }) => amount))),
    overpaid_above: findOverpaidThreshold(facts),
    fx_rate: findFxRate(facts) ?? null,
    recorded_currency: end?.recorded === undefined ? null : currency,
    recorded_amount: end?.recorded ?? null,
    settlement_currency: currency,
    settlement_amount: figures?.settlement ?? null,
    commission_amount: figures?.commission ?? null,
    currency: facts.currency,
    reserved_currency: reservations.at(-1)?.currency ?? null,
    reserved_amount: reservations.at(-1)?.amount ?? null,
    decline_reason: end?.declineReason ?? null,
  };
}

/** A row is put for each status of the audit's own fold, also where the projection has none. */
function putStatuses({ put, rows, facts, change, envelope }: DetailInput): void {
  const { entered, left } = projectStatuses([change]);
  const { position } = envelope.event;
  const { operationId: operation_id, status } = facts;
  const before = rows.status;
  if (before?.status === status) return;
  if (before) {
    const own = { number: before.number, status: before.status, next_status: status };
    put('status_history', { ...before, ...left[0] }, { own, position });
  }
  const number = (before?.number ?? 0) + 1;
  rows.status = { ...(entered[0] as StatusRow), operation_id, number, status };
  put('status_history', rows.status, { own: { number, status, next_status: null }, position });
}

/** Rows are put of what the audit's own facts have, also where the projection leaves some out. */
function putLegs({ put, rows, facts, change, event, envelope }: DetailInput): void {
  const { position } = envelope.event;
  const { operationId: operation_id, currency } = facts;
  const counted = new Map(facts.legs.map(({ legId, amount }) => [legId, amount]));
  const projected = new Map(projectLegs([change]).map((row) => [row.leg_id, row]));
  const known = new Map(rows.legs.map((row) => [row.leg_id, row]));
  for (const [leg_id, amount] of counted) {
    const row = projected.get(leg_id);
    if (!row && known.get(leg_id)?.amount === amount) continue;
    // Its receipts depend on its amount.
    if (row) known.set(leg_id, { ...row, amount });
    put('legs', row ?? { operation_id, leg_id }, { own: { amount, currency }, position });
  }
  rows.legs = [...known.values()];
  putReturn({ put, facts, change, event, envelope });
  putLegEvidence({ put, rows, facts, change, event, envelope }, counted);
}

function putReturn({ put, facts, change, event, envelope }: Omit<DetailInput, 'rows'>): void {
  const returned = facts.returns.at(-1);
  if (event.type !== 'LegReturned' || !returned) return;
  const { operationId: operation_id, currency } = facts;
  const row = projectReturns([change]).find(({ leg_id: id }) => id === returned.legId);
  const own = { amount: returned.counted, currency };
  const { position } = envelope.event;
  put('returned_legs', row ?? { operation_id, leg_id: returned.legId }, { own, position });
}

/** Of an operation whose own legs are its evidence: a receipt of each that has money. */
function putLegEvidence(
  { put, rows, facts, change, event, envelope }: DetailInput,
  counted: ReadonlyMap<string, string>,
): void {
  if (!isEnding(event.type) || facts.end?.evidence !== 'legs') return;
  const { position } = envelope.event;
  const made = projectOrSkip(() => projectLegEvidence(change, rows.legs));
  if (!made) return;
  const legs = new Map(facts.legs.map((leg) => [leg.legId, leg]));
  const paid = [...legs.values()].filter(({ amount }) => parseExactMinor(amount) !== 0n);
  const status = paid.some(({ synthetic }) => synthetic) ? 'partial' : 'complete';
  put('evidence', made.evidence, { own: { status }, position });
  for (const { legId } of paid) {
    const row = made.receipts.find(({ leg_id: id }) => id === legId);
    const lost = { operation_id: facts.operationId, leg_id: legId };
    put('receipts', row ?? lost, { own: { amount: counted.get(legId) }, position });
  }
}

function putDecisions({ put, facts, change, event, envelope }: DetailInput): void {
  if (event.type !== 'ReviewDecided' && event.type !== 'CloseDecided') return;
  const { revision, position } = envelope.event;
  const review = event.type === 'ReviewDecided' ? event.data : undefined;
  const own = {
    decision: review?.decision ?? 'close',
    approved_amount: exactText(review?.actual_amount),
  };
  const lost = { operation_id: facts.operationId, revision };
  put('operation_decisions', projectDecisions([change])[0] ?? lost, { own, position });
}

function putUploads({ put, rows, facts, change, event, envelope }: DetailInput): void {
  if (facts.receipts.length === 0) return;
  const changed = changeOutcomes(rows.outcomes, facts, event);
  const before = rows.uploads;
  rows.uploads = [...afterEvent(before, change.after, envelope)];
  const { operationId: operation_id } = facts;
  for (const receipt_id of new Set(facts.receipts.map(({ receiptId }) => receiptId))) {
    const row = rows.uploads.find(({ receipt_id: id }) => id === receipt_id);
    if (row && before.includes(row) && !changed.has(receipt_id)) continue;
    const own = rows.outcomes[receipt_id] ?? uploaded;
    put('uploaded_receipts', row ?? { operation_id, receipt_id }, {
      own,
      position: envelope.event.position,
    });
  }
}

const uploaded = { status: 'under_review', decision: null, approved_amount: null } as const;

/** Applies an event to the outcomes of receipts. @returns the ids of those that it concerns */
function changeOutcomes(
  outcomes: OperationRows['outcomes'],
  { receipts }: OperationFacts,
  event: OperationEvent,
): ReadonlySet<string> {
  const changed = new Set<string>();
  const change = (receiptId: string, to: Partial<ReceiptOutcome>) => {
    outcomes[receiptId] = { ...(outcomes[receiptId] ?? uploaded), ...to };
    changed.add(receiptId);
  };
  if (event.type === 'ReceiptUploaded') change(event.data.receipt_id, uploaded);
  if (event.type === 'ManualCheckStarted')
    change(event.data.receipt_id, { status: 'manual_check' });
  if (event.type === 'ReviewDecided' && event.data.receipt_id !== undefined) {
    const { receipt_id, decision, actual_amount } = event.data;
    const status = decision === 'ask_again' ? { status: decision } : {};
    change(receipt_id, { decision, approved_amount: exactText(actual_amount), ...status });
  }
  if (isEnding(event.type))
    for (const { receiptId } of receipts)
      if (outcomes[receiptId]?.status !== 'closed') change(receiptId, { status: 'closed' });
  return changed;
}

/** Puts the evidence that providers were polled for. */
export function putEvidence(
  put: Put,
  { operation_id, status, items }: Evidence,
  envelope: EventEnvelope,
): void {
  const { position } = envelope.event;
  const rows = projectOrSkip(() => ({
    evidence: projectEvidence(undefined, envelope),
    receipts: projectReceipts(envelope),
  }));
  if (!rows) return;
  put('evidence', rows.evidence, { own: { status }, position });
  for (const [at, { receipt_id, amount }] of items.entries()) {
    const row = rows.receipts[at] ?? { operation_id, receipt_id };
    put('receipts', row, { own: { amount: exactText(amount) }, position });
  }
}
