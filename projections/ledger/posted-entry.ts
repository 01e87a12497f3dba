import type { Account, Entry } from '#shared/domain/ledger/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';

/** The amount that an entry posts to each account, as text. */
export type Moves = Record<Account, string>;

/** An entry as read from the log, once for all tables. */
export type Posted = { entry: Entry; moves: Moves; event: StoredEvent };

/** An entry as a leaf of its shop's tree. */
export type Leaf = {
  index: number;
  hash: Buffer;
  at: Date;
  merchantOperationId: string | null;
};
