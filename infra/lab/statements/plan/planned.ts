import type { StatementOf, StoredLine } from '#shared/domain/statements/events.ts';
import type { FindingKind } from '#shared/domain/statements/findings.ts';
import type { Account } from '../accounts.ts';

/** A line as a provider is to say it. */
export type PlannedLine = {
  kind: StoredLine['kind'];
  direction: 'in' | 'out';
  legId: string;
  ofLegId?: string;
  /** Whose money it says that it is; a bank can't say that of a payment. */
  of?: { operationId: string; attempt: number };
  minor: number;
  /** As the provider has it; by that it stands in the statement of a day. */
  atMs: number;
  currency: 'RUB' | 'USD';
  /** It stands there twice. */
  twice?: true;
};

/** What has to be found. */
export type Planted = {
  of: StatementOf;
  finding: FindingKind;
  legId?: string;
  /** The operation that the line names, else the one that counts the money. */
  operationId?: string | undefined;
  /** How it came to be. */
  how: string;
};

/** All that providers say, and what of it is not as it was. */
export type Plan = {
  lines: ReadonlyMap<Account, readonly PlannedLine[]>;
  planted: readonly Planted[];
  /** Lines that stand in a neighbour's statement, and are no difference. */
  acrossMidnight: number;
  /** The statements of the day and its neighbours. */
  statements: readonly { of: StatementOf; account: Account }[];
};

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
