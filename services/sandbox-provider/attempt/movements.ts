import type { WireStatementLine } from '#shared/application/providers/sandbox/wire.ts';
import { isSubmitted, type AttemptRecord } from './record.ts';

/** `account`: absent for the first one. */
export type SandboxMovement = {
  account?: string | undefined;
  currency: string;
  line: WireStatementLine;
};

/** The money that moved because of an attempt, as a statement lists it. */
export function listMovements(record: AttemptRecord): SandboxMovement[] {
  if (!isSubmitted(record)) return [];
  const { type, currency } = record.submission.body;
  const of = { operation_id: record.operationId, attempt: record.attempt };
  const isPayment = type === 'payment';
  const incoming = record.legs.map(({ leg_id, amount, completed_at }): WireStatementLine => ({
    kind: 'transfer',
    direction: isPayment ? 'in' : 'out',
    leg_id,
    ...of,
    amount,
    completed_at,
  }));
  const wentBack = (record.returns ?? []).map(
    ({ leg_id, of_leg_id, amount, completed_at }): WireStatementLine => ({
      kind: isPayment ? 'chargeback' : 'return',
      direction: isPayment ? 'out' : 'in',
      leg_id,
      of_leg_id,
      ...of,
      amount,
      completed_at,
    }),
  );
  return [...incoming, ...wentBack].map((line) => ({ account: record.account, currency, line }));
}
