import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import { defineTable, type RowOf } from '../read-model.ts';
import type { RowChange } from '../rows/row-per-stream.ts';
import type { OperationRow } from './table.ts';

/** An operator's decision on an operation. */
type DecisionRow = RowOf<typeof decisionsTable>;

export const decisionsTable = defineTable<{
  decision: 'approve' | 'decline' | 'ask_again' | 'close';
}>()({
  name: 'operation_decisions',
  comment:
    'One row per decision of an operator on an operation. Other actions of operators: gateway.operator_actions.',
  primaryKey: ['operation_id', 'revision'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment: 'gateway.operations.operation_id (filled in the same transaction)',
    },
    revision: {
      type: 'integer not null',
      comment: "Revision of the event, in the operation's stream",
    },
    shop_id: { type: 'text not null', comment: "The operation's shop" },
    decision: {
      type: 'text not null',
      comment: 'approve, decline or ask_again on a receipt under review; close: closed manually',
    },
    approved_amount: {
      type: 'numeric(38,2)',
      comment: "The amount on the receipt by the operator, in the operation's currency, if stated",
    },
    actor: { type: 'text not null', comment: 'The operator who decided: operator:<name>' },
    token_id: { type: 'text', comment: 'The token; null in old events' },
    decided_at: { type: 'timestamptz not null', comment: 'Time of the event in the log' },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [
    { on: 'decided_at, position' },
    { on: 'shop_id, decided_at, position' },
    { on: 'actor, decided_at, position' },
  ],
});

export function projectDecisions(changes: readonly RowChange<OperationRow>[]): DecisionRow[] {
  return changes.flatMap(({ after: { operation_id, shop_id }, event: stored }) => {
    if (stored.type !== 'ReviewDecided' && stored.type !== 'CloseDecided') return [];
    const event = decodeOperationEvent(stored);
    const review = event.type === 'ReviewDecided' ? event.data : undefined;
    return [
      {
        operation_id,
        revision: stored.revision,
        shop_id,
        decision: review?.decision ?? ('close' as const),
        approved_amount: review?.actual_amount ?? null,
        actor: stored.metadata.actor,
        token_id: stored.metadata.token_id ?? null,
        decided_at: stored.created,
        position: stored.position.toString(),
      },
    ];
  });
}
