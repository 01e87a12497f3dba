import { sql, type Kysely } from 'kysely';
import { expect } from 'vitest';
import { decodeOperationEvent, operationStream } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { History } from '#shared/domain/operation/testing/histories.ts';
import { operationObject } from '#shared/domain/operation/fields/derive.ts';
import { snapshotState } from '#shared/domain/operation/fields/snapshot.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { OperationRow } from '../operations/table.ts';
import { snapshotRow } from '../operations/view.ts';
import { storableText } from '../rows/upsert.ts';

/** Expects the operation object of a row to be the one that its stream folds to. */
export function expectRowToEqualFold(
  row: OperationRow,
  state: Operation,
  events: readonly StoredEvent[],
): void {
  const admittedAt = events.find(({ type }) => type === 'OperationAdmitted')?.created;
  expect(operationObject('list', snapshotRow(row))).toEqual(
    operationObject('list', { ...snapshotState(state), created_at: admittedAt?.toISOString() }),
  );
}

/** Expects in every table exactly the rows to which the streams fold, one per history. */
export async function expectRowsToEqualFold(
  db: Kysely<unknown>,
  store: EventStore,
  histories: readonly History[],
): Promise<void> {
  const { rows } = await sql<OperationRow>`select * from gateway.operations`.execute(db);
  const byId = new Map(rows.map((row) => [row.operation_id, row]));
  expect(byId.size).toBe(histories.length);
  const details = await readDetails(db);
  const compare = async ({ create }: History) => {
    const row = byId.get(create.operationId);
    if (!row) throw new Error(`no row for ${create.operationId}`);
    const events = await store.read(operationStream(create.operationId));
    const state = fold(events.map(decodeOperationEvent));
    if (state.phase !== 'admitted') throw new Error('a history begins with an admission');
    expectRowToEqualFold(row, asStored(state), events);
    expect(row).toMatchObject({
      status: state.status,
      revision: state.revision,
      position: String(events.at(-1)?.position),
      updated_at: events.at(-1)?.created,
    });
    expect(details.get(create.operationId)).toEqual(detailsOf(state, events));
  };
  for (let from = 0; from < histories.length; from += 50) {
    await Promise.all(histories.slice(from, from + 50).map(compare));
  }
}

/** PostgreSQL can't store every text (projections/rows/upsert.ts). */
const asStored = (state: Operation): Operation => ({
  ...state,
  merchantOperationId: storableText(state.merchantOperationId),
  request: { ...state.request, client_id: storableText(state.request.client_id) },
});

type Details = {
  statuses: {
    status: string;
    entered_at: string;
    left_at: string | null;
    next_status: string | null;
  }[];
  legs: { leg_id: string; amount: string }[];
  receipts: { receipt_id: string; pdf: boolean; answered: boolean; closed: boolean }[];
};

/** The rows of each operation in the other tables. */
async function readDetails(db: Kysely<unknown>): Promise<Map<string, Details>> {
  const iso = (column: string) =>
    sql.raw(`to_char((${column}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
  const { rows } = await sql<Details & { operation_id: string }>`
    select o.operation_id,
      (select json_agg(json_build_object('status', h.status, 'entered_at', ${iso('h.entered_at')},
        'left_at', ${iso('h.entered_at + h.duration')}, 'next_status', h.next_status) order by h.number)
        from gateway.status_history h where h.operation_id = o.operation_id) as statuses,
      coalesce((select json_agg(json_build_object('leg_id', l.leg_id, 'amount', l.amount::text) order by l.leg_id)
        from gateway.legs l where l.operation_id = o.operation_id), '[]') as legs,
      coalesce((select json_agg(json_build_object('receipt_id', r.receipt_id, 'pdf', r.pdf,
        'answered', r.provider_answered_at is not null, 'closed', r.status = 'closed') order by r.number)
        from gateway.uploaded_receipts r where r.operation_id = o.operation_id), '[]') as receipts
    from gateway.operations o`.execute(db);
  return new Map(rows.map(({ operation_id, ...details }) => [operation_id, details]));
}

/** The same rows, computed from the fold alone. */
function detailsOf(state: Operation, events: readonly StoredEvent[]): Details {
  const statuses: Details['statuses'] = [];
  events.forEach(({ created }, index) => {
    const now = fold(events.slice(0, index + 1).map(decodeOperationEvent));
    const before = statuses.at(-1);
    if (now.phase !== 'admitted' || now.status === before?.status) return;
    const entered_at = created.toISOString();
    if (before) Object.assign(before, { left_at: entered_at, next_status: now.status });
    statuses.push({ status: now.status, entered_at, left_at: null, next_status: null });
  });
  const legs = state.legs.map(({ leg_id, amount }) => ({ leg_id, amount }));
  return {
    statuses,
    legs: legs.toSorted((left, right) => (left.leg_id < right.leg_id ? -1 : 1)),
    receipts: state.receipts.map(({ receiptId, pdf, submitted }) => {
      return { receipt_id: receiptId, pdf, answered: submitted, closed: isTerminal(state.status) };
    }),
  };
}
