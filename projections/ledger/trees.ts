import { sql } from 'kysely';
import {
  checkpointRequestStream,
  checkpointStream,
  decodeCheckpointEvent,
  decodeCheckpointRequest,
  isOfLedger,
  treeOrigin,
} from '#shared/domain/ledger/checkpoints.ts';
import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import type { Batch } from '../read-model.ts';
import { upsertRows } from '../rows/upsert.ts';
import type { Leaf, LoggedEntry } from './posted-entry.ts';
import { journalEntriesTable } from './tables.ts';
import {
  treeCheckpointRow,
  emptyTree,
  leavesNoneOut,
  ledgerOperationRow,
  rowOfTree,
  treeAfter,
  treeOfRow,
  treeRequested,
  treeSigned,
  type BatchTree,
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

/** The trees of a batch's ledgers, as its events change them in their order. */
export async function createLedgerTrees(batch: Batch) {
  const { tx, schema } = batch;
  const shopIds = new Set<string>();
  const operationIds = new Set<string>();
  for (const { stream, data } of batch.events) {
    if (stream.startsWith(operationPrefix)) continue;
    const { shop_id, operation_id } = data as { shop_id?: unknown; operation_id?: unknown };
    if (typeof shop_id === 'string') shopIds.add(shop_id);
    if (typeof operation_id === 'string') operationIds.add(operation_id);
  }
  const trees = await readTrees(batch, [...shopIds]);
  const named = await readOperations(batch, [...operationIds]);
  const leafTimes = await readNextTimes(batch);
  const changed = new Map<string, BatchTree>();
  const nodes: TreeNodeRow[] = [];
  const checkpoints: CheckpointRow[] = [];
  const operations = new Map<string, LedgerOperationRow>();
  const change = (tree: BatchTree) => {
    const origin = treeOrigin(tree.shop_id, tree.currency);
    trees.set(origin, tree);
    changed.set(origin, tree);
  };
  const currentTree = (shopId: string, currency: string) =>
    trees.get(treeOrigin(shopId, currency)) ?? emptyTree(shopId, currency);

  return {
    /** An event of another stream than a ledger. */
    apply: (event: StoredEvent): void => {
      const admitted = ledgerOperationRow(event);
      if (admitted) {
        named.set(admitted.operation_id, admitted.merchant_operation_id);
        operations.set(admitted.operation_id, admitted);
      } else if (event.type === 'CheckpointSigned') {
        const { data } = decodeCheckpointEvent(event);
        assertStream(event, checkpointStream(data.shop_id, data.currency));
        // Version 1 signed trees of shops, which are not served any more.
        if (!isOfLedger(data)) return;
        if (!leavesNoneOut(data, leafTimes.get(leafName(data, data.tree_size)))) return;
        checkpoints.push(treeCheckpointRow(data, event));
        change(treeSigned(currentTree(data.shop_id, data.currency), data));
      } else if (event.type === 'CheckpointRequested') {
        const { data } = decodeCheckpointRequest(event);
        assertStream(event, checkpointRequestStream(data.shop_id, data.currency));
        change(treeRequested(currentTree(data.shop_id, data.currency), data));
      }
    },
    append: (posted: LoggedEntry): Leaf => {
      const { entry } = posted;
      const name = 'operation_id' in entry ? named.get(entry.operation_id) : undefined;
      const after = treeAfter(currentTree(entry.shop_id, entry.currency), posted, name ?? null);
      change(after.tree);
      nodes.push(...after.nodes);
      leafTimes.set(leafName(entry, posted.event.revision), after.leaf.at);
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

function assertStream(event: StoredEvent, stream: string): void {
  if (event.stream !== stream) throw new Error('its content belongs to another stream');
}

async function readTrees(
  { tx, schema }: Batch,
  shopIds: readonly string[],
): Promise<Map<string, BatchTree>> {
  if (shopIds.length === 0) return new Map();
  const { rows } = await sql<TreeRow>`
    select * from ${sql.id(schema, treesTable.name)}
    where shop_id = any(${shopIds})`.execute(tx);
  return new Map(rows.map((row) => [treeOrigin(row.shop_id, row.currency), treeOfRow(row)]));
}

type LedgerName = { shop_id: string; currency: string };

const leafName = ({ shop_id: shopId, currency }: LedgerName, index: number): string =>
  `${treeOrigin(shopId, currency)}/${index}`;

/** The times of the first leaves that the batch's checkpoints lack, as far as they are written. */
async function readNextTimes({ tx, schema, events }: Batch): Promise<Map<string, Date>> {
  const checkpoints = events
    .filter(({ type }) => type === 'CheckpointSigned')
    .map(({ data }) => data as Partial<LedgerName & { tree_size: unknown }>)
    .filter(({ tree_size: size }) => Number.isInteger(size));
  if (checkpoints.length === 0) return new Map();
  const { rows } = await sql<LedgerName & { revision: number; statement_at: Date }>`
    select shop_id, currency, revision, statement_at
    from unnest(
      ${checkpoints.map(({ shop_id: shopId }) => shopId)}::text[],
      ${checkpoints.map(({ currency }) => currency ?? null)}::text[],
      ${checkpoints.map(({ tree_size: size }) => size)}::int[])
      as next (shop_id, currency, revision)
    join ${sql.id(schema, journalEntriesTable.name)} using (shop_id, currency, revision)`.execute(
    tx,
  );
  return new Map(rows.map((row) => [leafName(row, row.revision), row.statement_at]));
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
