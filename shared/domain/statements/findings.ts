/**
 * What can be wrong between a statement and the operations. Each waits for a person, until what it
 * is about has come right by itself or the person has closed it.
 */
export const findings = [
  /** A line names an operation that has not counted this money: the provider never reported it. */
  'not_counted',
  /** A line of whose money nobody knows the operation. */
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
  /** A payout's money came back, or a payment's was taken back, and no report has said so. */
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

/** What a finding says: as the statement has it, and as the operations count it. */
export type FindingSays = {
  kind: FindingKind;
  amount?: string | undefined;
  counted?: string | undefined;
};

/**
 * Known by what it is about, so that it is the same whoever finds it, as often as it is looked for.
 */
export const findingId = (
  kind: FindingKind,
  about: { legId: string; line?: number } | undefined,
): string =>
  about === undefined
    ? kind
    : [kind, about.legId, ...(about.line === undefined ? [] : [about.line])].join(':');
