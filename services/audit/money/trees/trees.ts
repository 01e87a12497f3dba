import { createPublicKey, verify } from 'node:crypto';
import {
  checkpointRequestStream,
  checkpointStream,
  decodeCheckpointEvent,
  decodeCheckpointKeyEvent,
  decodeCheckpointRequest,
  foldCheckpointKeys,
  isOfLedger,
  signedText,
  treeOrigin,
  type SignedCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import type { EntryMoves } from '../ledger/facts.ts';
import { formatExactMinor } from '../../log/operation/exact-arithmetic.ts';
import {
  createFlag,
  judgeStream,
  type EventEnvelope,
  type FlagViolation,
} from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import { honestStepMs } from '../../log/pass/time-order.ts';
import { LedgerTree, type EntryTree, type PostedLeaf } from './entry-tree.ts';
import { judgeRoot } from './judge-root.ts';
import { createShopTrees } from './shop-trees.ts';

type KeyEvent = ReturnType<typeof decodeCheckpointKeyEvent>;
type Key = ReturnType<typeof foldCheckpointKeys>[number];

type TreesContext = { rows: Rows; report: Report };
type TreePosting = { entry: Entry; moves: EntryMoves; envelope: EventEnvelope };

export type AuditTrees = ReturnType<typeof createAuditTrees>;

/** The trees and signing keys of all ledgers; checks whether the signed roots match the log. */
export function createAuditTrees() {
  const ledgers = new Map<string, LedgerTree>();
  const shops = createShopTrees();
  const keyEvents: KeyEvent[] = [];
  const findOrAddTree = (shopId: string, currency: string): LedgerTree => {
    const origin = treeOrigin(shopId, currency);
    const existing = ledgers.get(origin) ?? new LedgerTree(shopId, currency);
    ledgers.set(origin, existing);
    return existing;
  };
  return {
    shop: shops.begin,
    add: (posted: TreePosting, name: string | undefined): PostedLeaf => {
      const { entry, envelope } = posted;
      const tree = findOrAddTree(entry.shop_id, entry.currency);
      const merchantOperationId = name?.toWellFormed().replaceAll('\0', '\uFFFD') ?? null;
      const stateAt = (atMs: number) => stated(posted, { atMs, merchantOperationId });
      shops.add(posted, stateAt);
      const atMs = Math.max(envelope.atMs, tree.newestMs ?? 0, tree.signed?.atMs ?? 0);
      const hash = leafHash(canonicalJson(stateAt(atMs)));
      tree.add({ hash, atMs });
      const encoded = hash.toString('base64url');
      return { hash: encoded, atMs, merchantOperationId, tree };
    },
    checkpoint: (context: TreesContext, envelope: EventEnvelope): void => {
      const { data } = decodeCheckpointEvent(envelope);
      const shopId = data.shop_id;
      const stream = checkpointStream(shopId, data.currency);
      if (!judgeStream(context, envelope, stream, shopId)) return;
      const flag = createFlag(context, envelope, shopId);
      judgeSignature(foldCheckpointKeys(keyEvents), data, flag);
      if (!isOfLedger(data)) return shops.checkpoint(data, flag);
      shops.end();
      const tree = findOrAddTree(shopId, data.currency);
      judgeRoot(tree, data, flag);
      judgeTime(tree, { data, recordedMs: envelope.atMs }, flag);
      const signedMs = Date.parse(data.signed_at);
      const next = tree.timeAt(data.tree_size);
      // Nothing relies on a checkpoint that leaves out an entry from before its time.
      if (next !== undefined && next < signedMs) return;
      tree.sign(data.tree_size, signedMs);
      context.rows.signedCheckpoint?.(data, tree, envelope);
    },
    request: (context: TreesContext, envelope: EventEnvelope): void => {
      const { data } = decodeCheckpointRequest(envelope);
      const { shop_id: shopId, currency } = data;
      const stream = checkpointRequestStream(shopId, currency);
      if (!judgeStream(context, envelope, stream, shopId)) return;
      const tree = findOrAddTree(shopId, currency);
      context.rows.tree?.(tree, envelope);
    },
    key: (context: TreesContext, envelope: EventEnvelope): void => {
      const event = decodeCheckpointKeyEvent(envelope);
      const wrong = whyNoKeyEvent(foldCheckpointKeys(keyEvents), event);
      createFlag(context, envelope)('tree.key', wrong);
      keyEvents.push(event);
    },
  };
}

/** The entry as a statement has it (docs/merchants/statements.md). */
const stated = (
  { entry, moves, envelope }: TreePosting,
  { atMs, merchantOperationId }: Pick<PostedLeaf, 'atMs' | 'merchantOperationId'>,
) => ({
  entry_id: envelope.event.id,
  operation_id: 'operation_id' in entry ? entry.operation_id : null,
  merchant_operation_id: merchantOperationId,
  kind: entry.kind,
  amount: formatExactMinor(moves.get('balance') ?? 0n),
  reserved: entry.reserved_after,
  balance: entry.balance_after,
  at: new Date(atMs).toISOString(),
});

/** A checkpoint covers its time: the entries from before it, no other ones, and no time to come. */
function judgeTime(
  tree: EntryTree,
  { data, recordedMs }: { data: SignedCheckpoint; recordedMs: number },
  flag: FlagViolation,
): void {
  const at = Date.parse(data.signed_at);
  const iso = (ms: number) => new Date(ms).toISOString();
  const { signed } = tree;
  if (signed && at <= signed.atMs)
    flag('tree.time', `${data.signed_at} does not follow ${iso(signed.atMs)}`);
  if (at > recordedMs + honestStepMs)
    flag('tree.time', `${data.signed_at} is later than the log recorded it, ${iso(recordedMs)}`);
  const newest = tree.timeAt(data.tree_size - 1);
  if (newest !== undefined && newest >= at)
    flag('tree.time', `it covers ${data.signed_at} with an entry of ${iso(newest)}`);
  const next = tree.timeAt(data.tree_size);
  if (next !== undefined && next < at - honestStepMs)
    flag('tree.time', `it covers ${data.signed_at} without an entry of ${iso(next)}`);
}

function judgeSignature(keys: readonly Key[], data: SignedCheckpoint, flag: FlagViolation): void {
  const key = keys.find(({ keyId }) => keyId === data.key_id);
  const flagSignature = (message: string) => flag('tree.signature', message);
  if (!key) return flagSignature(`the key ${data.key_id} is in no event`);
  const { validFrom, validUntil } = key;
  const at = Date.parse(data.signed_at);
  if (at < Date.parse(validFrom) || (validUntil !== undefined && at > Date.parse(validUntil)))
    flagSignature(`the key ${data.key_id} was not valid at ${data.signed_at}`);
  const root = Buffer.from(data.root, 'base64url').toString('base64');
  const origin = data.currency === null ? data.shop_id : treeOrigin(data.shop_id, data.currency);
  const signedAt = data.currency === null ? undefined : data.signed_at;
  const text = signedText({ origin, treeSize: data.tree_size, root, at: signedAt });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.x };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const signature = Buffer.from(data.signature, 'base64url');
  if (!verify(null, Buffer.from(text), publicKey, signature))
    flagSignature('the signature does not hold');
}

/** One key signs at a time, and an id belongs to one key. */
function whyNoKeyEvent(keys: readonly Key[], { type, data }: KeyEvent): string | undefined {
  const existing = keys.find(({ keyId }) => keyId === data.key_id);
  if (type === 'CheckpointKeyAdded') {
    if (existing) return `the id ${data.key_id} is used again`;
    const current = keys.find(({ validUntil }) => validUntil === undefined);
    return current && `${current.keyId} has not ended`;
  }
  if (!existing) return `${data.key_id} ends but was never added`;
  return existing.validUntil === undefined ? undefined : `${data.key_id} ends twice`;
}
