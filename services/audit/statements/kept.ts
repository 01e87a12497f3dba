import type { Seen } from '../findings/accuse.ts';
import type { Partitions } from '../spill/partitions.ts';
import type { Statement } from './imports.ts';
import type { Closing } from './join.ts';

export type ClosedFinding = Closing & { seen: Pick<Seen, 'event'> };

/** What the audit keeps of statements while it reads the log. */
export type Kept = {
  partitions: Partitions;
  accounts: Map<string, number>;
  statements: Map<string, Statement>;
  byIndex: Statement[];
  /** By the key of the leg that it is about, of the operation for `ledger_differs`. */
  closings: Map<string, ClosedFinding[]>;
  /** Of `balance_differs`, the last one, by the number of its statement. */
  balances: Map<number, Closing>;
  books: Partitions;
  figures: { confirmed: number; closed: number; open: number };
};
