import { sql, type Kysely } from 'kysely';
import { toNewEvent } from '#shared/application/commands/new-events.ts';
import {
  checkpointStream,
  decodeCheckpointEvent,
  signedText,
  treeOrigin,
  type LedgerCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import { decodeLedgerEvent, ledgerStream } from '#shared/domain/ledger/events.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { isInFuture } from '../as-of.ts';
import { countBefore } from '../ledger/entries-before.ts';
import { createLedgerTree } from '../ledger/ledger-tree.ts';
import { findTree } from '../ledger/statement.ts';
import { isAhead } from '../ledger/tree.ts';
import type { TreeRow } from '../ledger/tree-tables.ts';
import type { SigningKey } from './signing-key.ts';

type Ledger = { shopId: string; currency: string };

type SignerOptions<DB> = {
  db: Kysely<DB>;
  store: EventStore;
  key: SigningKey;
  /** Since when the key is valid, in epoch milliseconds: an earlier checkpoint would not hold. */
  validFrom: number;
  now(): number;
  /** A time, in epoch milliseconds, before which the tables are complete. */
  completeTo: number;
  /** A ledger's tree is signed at most once in this time; in twice this time if none is new. */
  everyMs: number;
};

/** Thrown if a tree that grew can't be signed: a person has to investigate. */
export class HistoryChanged extends Error {
  override readonly name = 'HistoryChanged';
}

/**
 * Signs a ledger's tree of all entries from before the time up to which the tables are complete,
 * and that time: no later entry can belong before it. Not if it has no more entries than the log's
 * newest checkpoint, unless a request is due. It is appended right after the one before it, so that
 * two processes can't sign two histories. While the newest entry or checkpoint lies in the future,
 * nothing is signed: the entries after it would have its time.
 * @throws HistoryChanged if the tree does not begin with what was signed before
 */
export async function signTree<DB>(
  { db, store, key, validFrom, now, completeTo, everyMs }: SignerOptions<DB>,
  ledger: Ledger,
): Promise<'signed' | 'not_due' | 'in_future' | 'not_in_log' | 'undecided'> {
  const row = await findTree(db, ledger);
  if (isAhead(row, now())) return 'in_future';
  const stream = checkpointStream(ledger.shopId, ledger.currency);
  const [newest] = await store.read(stream, { direction: 'backwards', maxCount: 1 });
  const last = newest && decodeCheckpointEvent(newest).data;
  if (last && isInFuture(new Date(last.signed_at), now())) return 'in_future';
  const lastAt = last ? Date.parse(last.signed_at) : -Infinity;
  if (completeTo < validFrom || completeTo <= lastAt) return 'not_due';
  if (completeTo - lastAt < everyMs) return 'not_due';
  const from = last?.tree_size ?? 0;
  const time = new Date(completeTo);
  const size = await countBefore(db, ledger, { time, from, size: row?.size ?? 0 });
  const isDue =
    size > from || (completeTo - lastAt >= 2 * everyMs && isRequested(row, { lastAt, completeTo }));
  if (!isDue) return 'not_due';
  const tree = createLedgerTree(db, ledger);
  if (last && (await tree.root(last.tree_size)).toString('base64url') !== last.root)
    throw new HistoryChanged(
      `the ledger differs from what was signed at ${last.tree_size} entries`,
    );
  if (!(await isInLog(db, store, { ...ledger, size }))) return 'not_in_log';
  const root = await tree.root(size);
  const at = new Date(completeTo).toISOString();
  const origin = treeOrigin(ledger.shopId, ledger.currency);
  const text = signedText({ origin, treeSize: size, root: root.toString('base64'), at });
  const data: LedgerCheckpoint = {
    shop_id: ledger.shopId,
    currency: ledger.currency,
    tree_size: size,
    root: root.toString('base64url'),
    signed_at: at,
    key_id: key.keyId,
    signature: key.sign(text),
  };
  const { outcome } = await store.append({
    stream,
    expectedRevision: newest?.revision ?? NO_STREAM,
    events: [
      toNewEvent(
        { type: 'CheckpointSigned', data },
        { actor: 'service:projections', correlationId: newId() },
      ),
    ],
  });
  return outcome === 'appended' ? 'signed' : 'undecided';
}

/** A request that lies in the future is none: nothing can be signed for it. */
function isRequested(
  row: TreeRow | undefined,
  { lastAt, completeTo }: { lastAt: number; completeTo: number },
): boolean {
  const requestedAt = row?.requested_at?.getTime();
  return requestedAt !== undefined && requestedAt > lastAt && requestedAt <= completeTo;
}

/**
 * Whether the newest entry of the tree is in the log, and so all before it: after a restore of an
 * older log the tables are ahead of it until they are rebuilt.
 * @throws UntrustedEvent if no service has signed the entry
 */
async function isInLog<DB>(
  db: Kysely<DB>,
  store: EventStore,
  { shopId, currency, size }: Ledger & { size: number },
): Promise<boolean> {
  if (size === 0) return true;
  const revision = size - 1;
  const { rows } = await sql<{ entry_id: string }>`
    select entry_id from gateway.journal_entries
    where shop_id = ${shopId} and currency = ${currency} and revision = ${revision}`.execute(db);
  const [newest] = rows;
  if (!newest) return false;
  const request = { fromRevision: revision, maxCount: 1 };
  const [event] = await store.read(ledgerStream(shopId, currency), request);
  if (event?.id !== newest.entry_id) return false;
  // Those before it were verified by the service that appended it.
  decodeLedgerEvent(event);
  return true;
}
