import type { EntryKind } from './events.ts';

/** An entry in a shop's statement. Its RFC 8785 JSON is the leaf in its ledger's Merkle tree. */
export type StatementEntry = {
  /** The id of the event in the log. */
  entry_id: string;
  /** Null for an adjustment. */
  operation_id: string | null;
  merchant_operation_id: string | null;
  kind: EntryKind;
  /** What the entry adds to the shop's balance: all amounts of a period are its change. */
  amount: string;
  /** The funds reserved for payouts, after the entry. */
  reserved: string;
  /** The balance after the entry. */
  balance: string;
  /** RFC 3339, in UTC, with milliseconds; never before that of an earlier leaf. */
  at: string;
};
