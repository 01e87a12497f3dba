import { emptyTree, treeAfter } from '#projections/ledger/tree.ts';
import { readEntry } from '#projections/ledger/project.ts';
import { createSigningKey } from '#projections/tree-signer/signing-key.ts';
import {
  checkpointKeyStream,
  checkpointStream,
  signedText,
  type SignedCheckpoint,
} from '#shared/domain/ledger/checkpoints.ts';
import { rootOf } from '#shared/platform/merkle/frontier.ts';
import type { EventMetadata } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

const key = createSigningKey(Buffer.alloc(32, 7).toString('base64'));
const added = { key_id: key.keyId, x: key.x, valid_from: '2026-01-31T12:00:00.000Z' };
const signedAt = '2026-01-31T12:10:00.000Z';

/** The tree of a shop's entries, as the read model builds it. */
function treeOf(log: readonly RawEvent[], shopId: string) {
  let tree = emptyTree(shopId, { created: new Date(0), position: 0n });
  const names = new Map<string, string>();
  for (const { stream, type, id, revision, position, createdTicks, ...event } of log) {
    const data: unknown = JSON.parse(event.data.toString('utf8') || 'null');
    if (type === 'OperationAdmitted') {
      const admitted = data as { operation_id: string; merchant_operation_id: string };
      names.set(admitted.operation_id, admitted.merchant_operation_id);
    }
    if (type !== 'EntryPosted' || (data as { shop_id: string }).shop_id !== shopId) continue;
    const metadata = JSON.parse(event.metadata.toString('utf8')) as EventMetadata;
    const created = new Date(Number(createdTicks.slice(0, -4)));
    const at = { stream, revision, position: BigInt(position), created };
    const posted = readEntry({ id, type, data, metadata, ...at });
    const of = 'operation_id' in posted.entry ? names.get(posted.entry.operation_id) : undefined;
    ({ tree } = treeAfter(tree, posted, of ?? null));
  }
  return tree;
}

/** Signs the tree of a shop at the end of the log. */
export function signLog(
  log: RawEvent[],
  shopId: string,
  { keys = [added], retired = [], change = {}, times = 1 }: Signing = {},
): void {
  const { frontier } = treeOf(log, shopId);
  const { size } = frontier;
  const root = rootOf(frontier);
  const text = signedText({ shopId, treeSize: size, root: root.toString('base64') });
  const data = {
    shop_id: shopId,
    tree_size: size,
    root: root.toString('base64url'),
    signed_at: signedAt,
    key_id: key.keyId,
    signature: key.sign(text),
    ...change,
  };
  for (const [revision, content] of keys.entries())
    add(log, { stream: checkpointKeyStream, type: 'CheckpointKeyAdded', revision, data: content });
  for (const [index, valid_until] of retired.entries())
    add(log, {
      stream: checkpointKeyStream,
      type: 'CheckpointKeyRetired',
      revision: keys.length + index,
      data: { key_id: key.keyId, valid_until },
    });
  for (let revision = 0; revision < times; revision += 1)
    add(log, { stream: checkpointStream(shopId), type: 'CheckpointSigned', revision, data });
}

type Signing = {
  keys?: readonly (typeof added)[];
  /** When the key was retired, each time. */
  retired?: readonly string[];
  change?: Partial<SignedCheckpoint>;
  times?: number;
};

export const addedKey = added;

function add(
  log: RawEvent[],
  event: Pick<RawEvent, 'stream' | 'type' | 'revision'> & { data: object },
): void {
  const last = log.at(-1);
  const metadata = { correlation_id: 'test', actor: 'service:projections', schema_version: 1 };
  log.push({
    ...event,
    position: (last?.position ?? 0) + 100,
    id: newId(),
    contentType: 'application/json',
    createdTicks: last?.createdTicks ?? '0',
    data: Buffer.from(JSON.stringify(event.data)),
    metadata: Buffer.from(JSON.stringify(metadata)),
  });
}
