import { emptyTree, treeAfter } from '#projections/ledger/tree.ts';
import { readLedgerEntry } from '#projections/ledger/project.ts';
import { createSigningKey } from '#projections/tree-signer/signing-key.ts';
import {
  checkpointKeyStream,
  checkpointStream,
  signedText,
  treeOrigin,
  type SignedCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import { computeRoot, type Frontier } from '#shared/platform/merkle/frontier.ts';
import type { EventMetadata } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import { createdMs, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

const key = createSigningKey(Buffer.alloc(32, 7).toString('base64'));
/** By default it is valid from the first checkpoint on. */
const added: { key_id: string; x: string; valid_from?: string } = { key_id: key.keyId, x: key.x };
/** After the newest event, so that a checkpoint covers every entry. */
const signedAfterMs = 20_000;

type Signed = {
  /** Of the shop in all currencies, as version 1 signed it. */
  ofShop?: boolean;
  /** How many of the newest entries it leaves out. */
  without?: number;
};

type Signing = {
  keys?: readonly (typeof added)[];
  /** When the key was retired, each time, in seconds after the first checkpoint. */
  retiredAfter?: readonly number[];
  change?: Partial<SignedCheckpoint>;
  /** A second apart. */
  signed?: readonly Signed[];
  /** All with the time of the first one. */
  atOnce?: boolean;
};

/** The trees of a shop's entries at every size, as the read model builds them. */
function buildTrees(log: readonly RawEvent[], shopId: string, currency: string | null): Frontier[] {
  let tree = emptyTree(shopId, currency ?? 'all');
  const trees = [tree.frontier];
  const names = new Map<string, string>();
  for (const { stream, type, id, revision, position, createdTicks, ...event } of log) {
    const data: unknown = JSON.parse(event.data.toString('utf8') || 'null');
    if (type === 'OperationAdmitted') {
      const admitted = data as { operation_id: string; merchant_operation_id: string };
      names.set(admitted.operation_id, admitted.merchant_operation_id);
    }
    if (type !== 'EntryPosted') continue;
    const entry = data as { shop_id: string; currency: string };
    if (entry.shop_id !== shopId || entry.currency !== (currency ?? entry.currency)) continue;
    const metadata = JSON.parse(event.metadata.toString('utf8')) as EventMetadata;
    const created = new Date(Number(createdTicks.slice(0, -4)));
    const at = { stream, revision, position: BigInt(position), created };
    const posted = readLedgerEntry({ id, type, data, metadata, ...at });
    const of = 'operation_id' in posted.entry ? names.get(posted.entry.operation_id) : undefined;
    ({ tree } = treeAfter(tree, posted, of ?? null));
    trees.push(tree.frontier);
  }
  return trees;
}

/** Signs the trees of a shop at the end of the log: that of its ledger in RUB by default. */
export function signLog(
  log: RawEvent[],
  shopId: string,
  { keys = [added], retiredAfter = [], change = {}, signed = [{}], atOnce = false }: Signing = {},
): void {
  const firstMs = Math.max(0, ...log.map(createdMs)) + signedAfterMs;
  const append = (event: Omit<NewEvent, 'atMs'>) => add(log, { ...event, atMs: firstMs });
  const valid_from = new Date(firstMs).toISOString();
  for (const [revision, named] of keys.entries()) {
    const data = { valid_from, ...named };
    append({ stream: checkpointKeyStream, type: 'CheckpointKeyAdded', revision, data });
  }
  for (const [index, seconds] of retiredAfter.entries())
    append({
      stream: checkpointKeyStream,
      type: 'CheckpointKeyRetired',
      revision: keys.length + index,
      data: {
        key_id: key.keyId,
        valid_until: new Date(firstMs + seconds * 1_000).toISOString(),
      },
    });
  const trees = {
    ledger: buildTrees(log, shopId, 'RUB'),
    shop: buildTrees(log, shopId, null),
  };
  const revisions = new Map<string, number>();
  for (const [index, { ofShop = false, without = 0 }] of signed.entries()) {
    const tree = trees[ofShop ? 'shop' : 'ledger'].at(-1 - without);
    if (!tree) throw new Error('there are not as many entries');
    const currency = ofShop ? null : 'RUB';
    const atMs = firstMs + (atOnce ? 0 : index * 1_000);
    const root = computeRoot(tree);
    const signed_at = new Date(atMs).toISOString();
    const text = signedText({
      origin: currency === null ? shopId : treeOrigin(shopId, currency),
      treeSize: tree.size,
      root: root.toString('base64'),
      at: ofShop ? undefined : signed_at,
    });
    const stream = checkpointStream(shopId, currency);
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    const data = {
      shop_id: shopId,
      ...(currency !== null && { currency }),
      tree_size: tree.size,
      root: root.toString('base64url'),
      signed_at,
      key_id: key.keyId,
      signature: key.sign(text),
      ...change,
    };
    const schemaVersion = ofShop ? 1 : 2;
    add(log, { stream, type: 'CheckpointSigned', revision, data, atMs, schemaVersion });
  }
}

export const addedKey = added;

type NewEvent = Pick<RawEvent, 'stream' | 'type' | 'revision'> & {
  data: object;
  atMs: number;
  schemaVersion?: number;
};

function add(log: RawEvent[], { data, atMs, schemaVersion = 1, ...event }: NewEvent): void {
  const metadata = {
    correlation_id: 'test',
    actor: 'service:projections',
    schema_version: schemaVersion,
  };
  log.push({
    ...event,
    position: (log.at(-1)?.position ?? 0) + 100,
    id: newId(),
    contentType: 'application/json',
    createdTicks: `${atMs}0000`,
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.from(JSON.stringify(metadata)),
  });
}
