import { createPublicKey, verify } from 'node:crypto';
import {
  checkpointStream,
  decodeCheckpointEvent,
  decodeCheckpointKeyEvent,
  foldCheckpointKeys,
  signedText,
  type SignedCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import type { Entry } from '#shared/domain/ledger/events.ts';
import { canonicalJson } from '#shared/platform/ids.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import type { Moves } from '../ledger/facts.ts';
import { amountOf } from '../../log/operation/exact-arithmetic.ts';
import {
  createFlag,
  judgeStream,
  type EventEnvelope,
  type FlagViolation,
} from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import { ShopTree, type PostedLeaf } from './shop-tree.ts';

type KeyEvent = ReturnType<typeof decodeCheckpointKeyEvent>;
type Key = ReturnType<typeof foldCheckpointKeys>[number];

type TreesContext = { rows: Rows; report: Report };
type Posted = { entry: Entry; moves: Moves; envelope: EventEnvelope };

export type Trees = ReturnType<typeof createTrees>;

/** The trees and signing keys of all shops; checks whether the signed roots match the log. */
export function createTrees() {
  const trees = new Map<string, ShopTree>();
  const keyEvents: KeyEvent[] = [];
  const treeOf = (shopId: string, { atMs, event }: EventEnvelope): ShopTree => {
    const existing = trees.get(shopId) ?? new ShopTree(shopId, { atMs, position: event.position });
    trees.set(shopId, existing);
    return existing;
  };
  return {
    shop: (shopId: string, envelope: EventEnvelope, { rows }: TreesContext): void => {
      if (!trees.has(shopId)) rows.tree?.(treeOf(shopId, envelope), envelope);
    },
    add: (posted: Posted, name: string | undefined): PostedLeaf => {
      const { entry, envelope } = posted;
      const tree = treeOf(entry.shop_id, envelope);
      const merchantOperationId = name?.toWellFormed().replaceAll('\0', '\uFFFD') ?? null;
      const atMs = Math.max(envelope.atMs, tree.newestMs);
      const index = tree.frontier.size;
      const hash = leafHash(canonicalJson(stated(posted, { atMs, merchantOperationId })));
      const completed = tree.add(hash, { atMs, position: envelope.event.position });
      const encoded = hash.toString('base64url');
      return { index, hash: encoded, atMs, merchantOperationId, tree, completed };
    },
    checkpoint: (context: TreesContext, envelope: EventEnvelope): void => {
      const { data } = decodeCheckpointEvent(envelope);
      const shopId = data.shop_id;
      if (!judgeStream(context, envelope, checkpointStream(shopId), shopId)) return;
      const flag = createFlag(context, envelope, shopId);
      const tree = treeOf(shopId, envelope);
      judgeCheckpoint(tree, data, flag);
      judgeSignature(foldCheckpointKeys(keyEvents), data, flag);
      tree.signed = { size: data.tree_size, atMs: Date.parse(data.signed_at) };
      tree.forgetBefore(data.tree_size);
      context.rows.signedCheckpoint?.(data, tree, envelope);
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
  { entry, moves, envelope }: Posted,
  { atMs, merchantOperationId }: Pick<PostedLeaf, 'atMs' | 'merchantOperationId'>,
) => ({
  entry_id: envelope.event.id,
  operation_id: 'operation_id' in entry ? entry.operation_id : null,
  merchant_operation_id: merchantOperationId,
  kind: entry.kind,
  amount: amountOf(moves.get('balance') ?? 0n),
  reserved: entry.reserved_after,
  balance: entry.balance_after,
  at: new Date(atMs).toISOString(),
});

function judgeCheckpoint(tree: ShopTree, data: SignedCheckpoint, flag: FlagViolation): void {
  const before = tree.signed?.size ?? -1;
  const { size } = tree.frontier;
  if (data.tree_size <= before)
    return flag('tree.size', `${data.tree_size} entries follow ${before}`);
  if (data.tree_size > size)
    return flag('tree.size', `${data.tree_size} entries are signed, there are ${size}`);
  const root = tree.rootAt(data.tree_size)?.toString('base64url');
  if (root === undefined)
    flag('tree.root', `it was signed so late that the root of ${data.tree_size} entries is gone`);
  else if (root !== data.root)
    flag('tree.root', `${data.root} is signed, the entries give ${root}`);
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
  const text = signedText({ shopId: data.shop_id, treeSize: data.tree_size, root });
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
