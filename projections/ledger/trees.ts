import { sql } from 'kysely';
import { checkpointStream, decodeCheckpointEvent } from '#shared/domain/ledger/checkpoints.ts';
import { decodeOperationEvent } from '#shared/domain/operation/events.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Batch } from '../read-model.ts';
import { storableText, upsertRows } from '../rows/upsert.ts';
import type { Leaf, Posted } from './posted-entry.ts';
import {
  checkpointRow,
  emptyTree,
  rowOfTree,
  treeAfter,
  treeOfRow,
  treeSigned,
  type Tree,
} from './tree.ts';
import {
  checkpointsTable,
  ledgerOperationsTable,
  treeNodesTable,
  treesTable,
  type CheckpointRow,
  type LedgerOperationRow,
  type TreeNodeRow,
  type TreeRow,
} from './tree-tables.ts';

export const operationPrefix = 'operation-';
export const shopPrefix = 'shop-';

/** The trees of a batch's shops, as its events change them in their order. */
export async function createTrees(batch: Batch) {
  const { tx, schema } = batch;
  const shopIds = new Set<string>();
  const operationIds = new Set<string>();
  for (const { stream, type, data } of batch.events) {
    if (type === 'ShopCreated') shopIds.add(stream.slice(shopPrefix.length));
    if (type !== 'EntryPosted' && type !== 'CheckpointSigned') continue;
    const { shop_id, operation_id } = data as { shop_id?: unknown; operation_id?: unknown };
    if (typeof shop_id === 'string') shopIds.add(shop_id);
    if (typeof operation_id === 'string') operationIds.add(operation_id);
  }
  const trees = await readTrees(batch, [...shopIds]);
  const named = await readOperations(batch, [...operationIds]);
  const changed = new Map<string, Tree>();
  const nodes: TreeNodeRow[] = [];
  const checkpoints: CheckpointRow[] = [];
  const operations = new Map<string, LedgerOperationRow>();
  const change = (tree: Tree) => {
    trees.set(tree.shop_id, tree);
    changed.set(tree.shop_id, tree);
  };
  const treeOf = (shopId: string, event: StoredEvent) =>
    trees.get(shopId) ?? emptyTree(shopId, event);

  return {
    /** An event of another stream than a ledger. */
    apply: (event: StoredEvent): void => {
      if (event.type === 'OperationAdmitted') {
        const { data } = decodeOperationEvent(event);
        if (!('merchant_operation_id' in data)) return;
        const { operation_id } = data;
        const merchant_operation_id = storableText(data.merchant_operation_id);
        named.set(operation_id, merchant_operation_id);
        const admitted_at = event.created;
        operations.set(operation_id, { operation_id, merchant_operation_id, admitted_at });
      } else if (event.type === 'ShopCreated') {
        const shopId = event.stream.slice(shopPrefix.length);
        if (!trees.has(shopId)) change(emptyTree(shopId, event));
      } else if (event.type === 'CheckpointSigned') {
        const { data } = decodeCheckpointEvent(event);
        if (checkpointStream(data.shop_id) !== event.stream)
          throw new Error('its content belongs to another stream');
        checkpoints.push(checkpointRow(data, event));
        change(treeSigned(treeOf(data.shop_id, event), data));
      }
    },
    append: (posted: Posted): Leaf => {
      const { entry, event } = posted;
      const name = 'operation_id' in entry ? named.get(entry.operation_id) : undefined;
      const after = treeAfter(treeOf(entry.shop_id, event), posted, name ?? null);
      change(after.tree);
      nodes.push(...after.nodes);
      return after.leaf;
    },
    write: async (): Promise<void> => {
      const rows = [...operations.values()];
      await upsertRows(tx, { table: ledgerOperationsTable, schema, rows });
      const changedRows = [...changed.values()].map(rowOfTree);
      await upsertRows(tx, { table: treesTable, schema, rows: changedRows });
      await upsertRows(tx, { table: treeNodesTable, schema, rows: nodes });
      await upsertRows(tx, { table: checkpointsTable, schema, rows: checkpoints });
    },
  };
}

async function readTrees(
  { tx, schema }: Batch,
  shopIds: readonly string[],
): Promise<Map<string, Tree>> {
  if (shopIds.length === 0) return new Map();
  const { rows } = await sql<TreeRow>`
    select * from ${sql.id(schema, treesTable.name)}
    where shop_id = any(${shopIds})`.execute(tx);
  return new Map(rows.map((row) => [row.shop_id, treeOfRow(row)]));
}

/** The merchants' ids of operations that earlier batches admitted. */
async function readOperations(
  { tx, schema }: Batch,
  operationIds: readonly string[],
): Promise<Map<string, string>> {
  if (operationIds.length === 0) return new Map();
  const { rows } = await sql<LedgerOperationRow>`
    select * from ${sql.id(schema, ledgerOperationsTable.name)}
    where operation_id = any(${operationIds}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.operation_id, row.merchant_operation_id]));
}
