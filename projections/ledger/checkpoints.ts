import { sql, type Kysely } from 'kysely';
import { treeOrigin } from '#shared/domain/ledger/checkpoints.ts';
import { createLedgerTree } from './ledger-tree.ts';
import type { CheckpointRow } from './tree-tables.ts';

type Ledger = { shopId: string; currency: string };

/** A checkpoint as merchants see it. */
export const viewCheckpoint = (row: CheckpointRow) => ({
  origin: treeOrigin(row.shop_id, row.currency),
  tree_size: row.tree_size,
  root: row.root,
  at: row.signed_at.toISOString(),
  key_id: row.key_id,
  signature: row.signature,
});

export const encodeHashes = (hashes: readonly Buffer[]): string[] =>
  hashes.map((hash) => hash.toString('base64url'));

/**
 * The first checkpoint of a ledger that covers a time, before which the ledger has N entries: it
 * stays the same, whatever is signed later. Undefined while there is none.
 */
export async function findCovering<DB>(
  db: Kysely<DB>,
  { shopId, currency }: Ledger,
  { time, entries }: { time: Date; entries: number },
): Promise<CheckpointRow | undefined> {
  const { rows } = await sql<CheckpointRow>`
    select * from gateway.ledger_checkpoints
    where shop_id = ${shopId} and currency = ${currency}
      and tree_size >= ${entries} and signed_at >= ${time}
    order by tree_size, signed_at limit 1`.execute(db);
  return rows[0];
}

const batchRows = 200;

/** The checkpoints of a ledger from a size on, as JSON, each proved to follow from the last one. */
export async function* checkpointsJson<DB>(
  db: Kysely<DB>,
  { shopId, currency, fromSize }: Ledger & { fromSize: number },
): AsyncGenerator<string, void, void> {
  const tree = createLedgerTree(db, { shopId, currency });
  const ofLedger = sql`shop_id = ${shopId} and currency = ${currency}`;
  const { rows: earlier } = await sql<{ before: number | null }>`
    select max(tree_size) as before from gateway.ledger_checkpoints
    where ${ofLedger} and tree_size < ${fromSize}`.execute(db);
  let before = earlier[0]?.before ?? 0;
  let next = sql`tree_size >= ${fromSize}`;
  let text = '{"checkpoints":[';
  let separator = '';
  for (;;) {
    const { rows } = await sql<CheckpointRow>`
      select * from gateway.ledger_checkpoints
      where ${ofLedger} and ${next}
      order by tree_size, signed_at limit ${batchRows}`.execute(db);
    for (const row of rows) {
      const proof = encodeHashes(await tree.consistencyProof(before, row.tree_size));
      text += `${separator}${JSON.stringify({
        ...viewCheckpoint(row),
        consistency: { from_size: before, proof },
      })}`;
      separator = ',';
      before = row.tree_size;
      next = sql`(tree_size, signed_at) > (${row.tree_size}, ${row.signed_at})`;
    }
    if (rows.length < batchRows) break;
    yield text;
    text = '';
  }
  yield `${text}]}`;
}
