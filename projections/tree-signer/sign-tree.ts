import { sql, type Kysely } from 'kysely';
import { toNewEvent } from '#shared/application/commands/new-events.ts';
import {
  checkpointStream,
  decodeCheckpointEvent,
  signedText,
  type SignedCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { NO_STREAM, type EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { storedTreeOf } from '../ledger/stored-tree.ts';
import type { SigningKey } from './signing-key.ts';

type Signing<DB> = {
  db: Kysely<DB>;
  store: EventStore;
  key: SigningKey;
  now(): number;
  /** A shop's tree is signed at most once in this time. */
  everyMs: number;
};

/** Thrown if a tree that grew can't be signed: a person has to investigate. */
export class HistoryChanged extends Error {
  override readonly name = 'HistoryChanged';
}

/**
 * Signs the tree of a shop at its present size, unless the log has such a checkpoint or a recent
 * one. It is appended right after the one before it, so that two processes can't sign two
 * histories.
 * @throws HistoryChanged if the tree does not begin with what was signed before
 */
export async function signTree<DB>(
  { db, store, key, now, everyMs }: Signing<DB>,
  { shopId, size }: { shopId: string; size: number },
): Promise<'signed' | 'not_due' | 'not_in_log' | 'undecided'> {
  const stream = checkpointStream(shopId);
  const [newest] = await store.read(stream, { direction: 'backwards', maxCount: 1 });
  const last = newest && decodeCheckpointEvent(newest).data;
  if (last && (last.tree_size >= size || now() - Date.parse(last.signed_at) < everyMs))
    return 'not_due';
  const tree = storedTreeOf(db, shopId);
  if (last && (await tree.root(last.tree_size)).toString('base64url') !== last.root)
    throw new HistoryChanged(
      `the ledger of ${shopId} differs from what was signed at ${last.tree_size} entries`,
    );
  if (!(await isInLog(db, store, { shopId, size }))) return 'not_in_log';
  const root = await tree.root(size);
  const data: SignedCheckpoint = {
    shop_id: shopId,
    tree_size: size,
    root: root.toString('base64url'),
    signed_at: new Date(now()).toISOString(),
    key_id: key.keyId,
    signature: key.sign(signedText({ shopId, treeSize: size, root: root.toString('base64') })),
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

/**
 * Whether the newest entry of the tree is in the log, and so all before it: after a restore of an
 * older log the tables are ahead of it until they are rebuilt.
 */
async function isInLog<DB>(
  db: Kysely<DB>,
  store: EventStore,
  { shopId, size }: { shopId: string; size: number },
): Promise<boolean> {
  if (size === 0) return true;
  const { rows } = await sql<{ currency: string; revision: number; entry_id: string }>`
    select currency, revision, entry_id from gateway.journal_entries
    where shop_id = ${shopId} and leaf_index = ${size - 1}`.execute(db);
  const [newest] = rows;
  if (!newest) return false;
  const { currency, revision, entry_id: id } = newest;
  const request = { fromRevision: revision, maxCount: 1 };
  const [event] = await store.read(ledgerStream(shopId, currency), request);
  return event?.id === id;
}
