import type { LineKind } from './events.ts';

/**
 * What can be wrong between a statement and the operations. Each waits for a person, until what it
 * is about has come right by itself or the person has closed it.
 */
export const findings = [
  /** A line names an operation that has not counted this money: the provider never reported it. */
  'not_counted',
  /** A line whose money belongs to no known operation. */
  'unknown_line',
  /** Money that an operation counts, and neither this day's statement nor a neighbour's has. */
  'not_in_statement',
  'amount_differs',
  /**
   * The line names another operation than the one that counts the money, or the other direction.
   */
  'operation_differs',
  /** The statement, or an earlier one, has this money already. */
  'duplicate_line',
  /** A payout's money came back, or a payment's was taken back, and no report mentions it. */
  'return_not_reported',
  /** Money that belongs to no operation. */
  'fee',
  'settlement',
  'other',
  /**
   * The closing balance is not the opening one and the lines, or the opening one not the last day's
   * closing one.
   */
  'balance_differs',
  /**
   * What the books have of an operation's money at the account is not what the operation counts.
   */
  'ledger_differs',
] as const;
export type FindingKind = (typeof findings)[number];

/** A finding's kind, and its amounts by the statement and by the operations. */
export type FindingSays = {
  kind: FindingKind;
  amount?: string | undefined;
  counted?: string | undefined;
};

/** An operation's id must not contain the colon that ends it. */
const escaped = (operationId: string): string =>
  operationId.replaceAll('%', '%25').replaceAll(':', '%3A');

/** `return`: money that went back. A transfer and its return may have one leg id. */
export type MoneyKind = 'transfer' | 'return';

/** The kind of money that a line is about. */
export const moneyOfLine = ({ kind }: { kind: LineKind }) =>
  kind === 'chargeback' ? 'return' : kind;

/** Findings that a transfer and its return may both have: their ids name the kind of money. */
export const findingsOfEither: readonly FindingKind[] = [
  'not_in_statement',
  'amount_differs',
  'operation_differs',
];

/**
 * Identifies a finding by its subject, so that every computation gives it the same id:
 * `<kind>@<operation>:<leg>`, because a leg id is unique only within an operation, or
 * `<kind>:<leg>` where no operation is known, `<kind>:<leg>:<line>` of a repeated line. Where the
 * kind may be of a transfer or of its return: `<kind>.<money>@<operation>:<leg>`. Older notes
 * name no money, and the oldest no operation.
 */
export const findingId = (
  kind: FindingKind,
  about:
    | {
        money: ReturnType<typeof moneyOfLine>;
        legId: string;
        operationId?: string | undefined;
        line?: number;
      }
    | undefined,
): string => {
  if (about === undefined) return kind;
  const { money, legId, operationId, line } = about;
  if (line !== undefined) return `${kind}:${legId}:${line}`;
  const name = findingsOfEither.includes(kind) ? `${kind}.${money}` : kind;
  return operationId === undefined
    ? `${name}:${legId}`
    : `${name}@${escaped(operationId)}:${legId}`;
};
