import type { Account } from '../accounts.ts';

/** Money that really moved, as its provider saw it: a line of a statement that has no faults. */
export type Moved = {
  kind: 'transfer' | 'return' | 'chargeback';
  /** Seen from the account with the provider. */
  direction: 'in' | 'out';
  legId: string;
  ofLegId?: string;
  operationId: string;
  attempt: number;
  account: Account;
  minor: number;
  atMs: number;
};
