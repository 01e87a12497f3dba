import type { LedgerAccount, Entry } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** The amount that an entry posts to each account, as text. */
export type MovesByAccount = Record<LedgerAccount, string>;

/** An entry as read from the log, once for all tables. */
export type LoggedEntry = { entry: Entry; moves: MovesByAccount; event: StoredEvent };

/** An entry as a leaf of its ledger's tree: the n-th entry is the n-th leaf. */
export type Leaf = {
  hash: Buffer;
  at: Date;
  merchantOperationId: string | null;
};
