import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Partitions } from '../../log/spill/partitions.ts';
import type { Statement } from './imports.ts';
import type { Closing } from './join.ts';

export type ClosedFinding = Closing & { envelope: Pick<EventEnvelope, 'event'> };

/** The audit's state of statements while it reads the log. */
export type StatementState = {
  partitions: Partitions;
  accounts: Map<string, number>;
  statements: Map<string, Statement>;
  byIndex: Statement[];
  /** By the key of the finding's leg, or for `ledger_differs` of its operation. */
  closings: Map<string, ClosedFinding[]>;
  /** The last note on `balance_differs`, by the statement's number. */
  balances: Map<number, Closing>;
  books: Partitions;
  figures: { confirmed: number; closed: number; open: number };
};
