import { projectDecisions } from '#projections/operations/decisions.ts';
import {
  projectEvidence,
  projectLegEvidence,
  projectReceipts,
} from '#projections/operations/evidence.ts';
import { projectLegs, projectReturns } from '#projections/operations/legs.ts';
import { projectOperation } from '#projections/operations/project.ts';
import { projectStatuses } from '#projections/operations/status-history.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { afterEvent } from '#projections/operations/uploaded-receipts.ts';
import type { RowChange } from '#projections/rows/row-per-stream.ts';
import type { Evidence } from '#shared/domain/evidence/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { AuditedEntity } from '../../log/entities/entity.ts';
import { exactText, formatExactMinor, sumAmounts } from '../../log/operation/exact-arithmetic.ts';
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
import type { OperationRows } from './stored-rows.ts';
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
  const rows = { ...(known ?? { legs: [], uploads: [], approved: {} }), operation: after };
  const changed = { put, rows, facts, change: { before, after, event: envelope }, event, envelope };
  putStatuses(changed);
  putLegs(changed);
  putDecisions(changed);
  putUploads(changed);
  entity.rows = rows;
}

/** Puts the row of gateway.operations, unless it was put and has not changed since. */
export function putOperation(put: Put, { operation: row }: OperationRows, facts: OperationFacts) {
  if (row.updated_at instanceof Date)
    put('operations', row, { own: operationMoney(facts), position: Number(row.position) });
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
    reserved_amount: reservations.at(-1)?.amount ?? null,
    decline_reason: end?.declineReason ?? null,
  };
}

function putStatuses({ put, rows, facts: { status }, change, envelope }: DetailInput): void {
  const { entered, left } = projectStatuses([change]);
  const { position } = envelope.event;
  const own = (of: string, next: string | null) => ({ own: { status: of, next_status: next } });
  if (rows.status)
    for (const end of left)
      put(
        'status_history',
        { ...rows.status, ...end },
        { ...own(rows.status.status, status), position },
      );
  for (const row of entered) {
    rows.status = { ...row, status };
    put('status_history', row, { ...own(status, null), position });
  }
}

function putLegs({ put, rows, facts, change, event, envelope }: DetailInput): void {
  const { position } = envelope.event;
  const countedAmount = (legId: string) =>
    facts.legs.findLast((leg) => leg.legId === legId)?.amount;
  for (const row of projectLegs([change])) {
    const amount = countedAmount(row.leg_id) ?? row.amount;
    // Its receipts depend on its amount.
    rows.legs = [...rows.legs.filter(({ leg_id: id }) => id !== row.leg_id), { ...row, amount }];
    put('legs', row, { own: { amount }, position });
  }
  for (const row of projectReturns([change]))
    put('returned_legs', row, { own: { amount: facts.returns.at(-1)?.counted }, position });
  if (!isEnding(event.type) || facts.end?.evidence !== 'legs') return;
  const made = projectOrSkip(() => projectLegEvidence(change, rows.legs));
  if (!made) return;
  put('evidence', made.evidence, { position });
  for (const row of made.receipts)
    put('receipts', row, { own: { amount: countedAmount(row.leg_id) }, position });
}

function putDecisions({ put, change, event, envelope }: DetailInput): void {
  const approved = event.type === 'ReviewDecided' ? event.data.actual_amount : undefined;
  const own = { approved_amount: exactText(approved) };
  for (const row of projectDecisions([change]))
    put('operation_decisions', row, { own, position: envelope.event.position });
}

function putUploads({ put, rows, change, event, envelope }: DetailInput): void {
  if (change.after.receipts_count === 0) return;
  if (event.type === 'ReviewDecided' && event.data.receipt_id !== undefined)
    rows.approved[event.data.receipt_id] = exactText(event.data.actual_amount);
  const before = rows.uploads;
  rows.uploads = [...afterEvent(before, change.after, envelope)];
  for (const row of rows.uploads) {
    const own = { approved_amount: rows.approved[row.receipt_id] ?? null };
    if (!before.includes(row))
      put('uploaded_receipts', row, { own, position: envelope.event.position });
  }
}

/** Puts the evidence that providers were polled for. */
export function putEvidence(put: Put, { items }: Evidence, envelope: EventEnvelope): void {
  const { position } = envelope.event;
  const rows = projectOrSkip(() => ({
    evidence: projectEvidence(undefined, envelope),
    receipts: projectReceipts(envelope),
  }));
  if (!rows) return;
  put('evidence', rows.evidence, { position });
  for (const [at, row] of rows.receipts.entries())
    put('receipts', row, { own: { amount: exactText(items[at]?.amount) }, position });
}
