import { sql, type Kysely } from 'kysely';
import { createStoredTree, type StoredTree } from '#shared/platform/merkle/stored-tree.ts';

/** A shop's tree, from the hashes in the read model. It reads each tile of hashes once. */
export const storedTreeOf = <DB>(db: Kysely<DB>, shopId: string): StoredTree =>
  createStoredTree(async ({ level, from, to }) => {
    const { rows } = await (
      level === 0
        ? sql<{ hash: string }>`
          select leaf_hash as hash from gateway.journal_entries
          where shop_id = ${shopId} and leaf_index >= ${from} and leaf_index < ${to}
          order by leaf_index`
        : sql<{ hash: string }>`
          select hash from gateway.ledger_tree_nodes
          where shop_id = ${shopId} and level = ${level} and number >= ${from} and number < ${to}
          order by number`
    ).execute(db);
    return rows.map(({ hash }) => Buffer.from(hash, 'base64url'));
  });
