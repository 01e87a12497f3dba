import { sql, type Kysely } from 'kysely';
import { storedTreeOf } from './stored-tree.ts';
import type { CheckpointRow } from './tree-tables.ts';

/** A checkpoint as merchants see it. */
export const viewCheckpoint = (row: CheckpointRow) => ({
  tree_size: row.tree_size,
  root: row.root,
  at: row.signed_at.toISOString(),
  key_id: row.key_id,
  signature: row.signature,
});

export const encodeHashes = (hashes: readonly Buffer[]): string[] =>
  hashes.map((hash) => hash.toString('base64url'));

/**
 * The first checkpoint with at least N entries of a shop: it stays the same, whatever is signed
 * later. Undefined while there is none.
 */
export async function firstCheckpointOf<DB>(
  db: Kysely<DB>,
  shopId: string,
  entries: number,
): Promise<CheckpointRow | undefined> {
  const { rows } = await sql<CheckpointRow>`
    select * from gateway.ledger_checkpoints
    where shop_id = ${shopId} and tree_size >= ${entries}
    order by tree_size limit 1`.execute(db);
  return rows[0];
}

const batchRows = 200;

/** The checkpoints of a shop from a size on as JSON, each proved to follow from the one before. */
export async function* checkpointsJson<DB>(
  db: Kysely<DB>,
  { shopId, fromSize }: { shopId: string; fromSize: number },
): AsyncGenerator<string, void, void> {
  const tree = storedTreeOf(db, shopId);
  const { rows: earlier } = await sql<{ before: number | null }>`
    select max(tree_size) as before from gateway.ledger_checkpoints
    where shop_id = ${shopId} and tree_size < ${fromSize}`.execute(db);
  let before = earlier[0]?.before ?? 0;
  let next = fromSize;
  let text = '{"checkpoints":[';
  let separator = '';
  for (;;) {
    const { rows } = await sql<CheckpointRow>`
      select * from gateway.ledger_checkpoints
      where shop_id = ${shopId} and tree_size >= ${next}
      order by tree_size limit ${batchRows}`.execute(db);
    for (const row of rows) {
      const proof = encodeHashes(await tree.consistencyProof(before, row.tree_size));
      text += `${separator}${JSON.stringify({
        ...viewCheckpoint(row),
        consistency: { from_size: before, proof },
      })}`;
      separator = ',';
      before = row.tree_size;
      next = row.tree_size + 1;
    }
    if (rows.length < batchRows) break;
    yield text;
    text = '';
  }
  yield `${text}]}`;
}
