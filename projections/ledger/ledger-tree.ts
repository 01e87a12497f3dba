import { sql, type Kysely } from 'kysely';
import { createStoredTree, type StoredTree } from '#shared/platform/merkle/stored-tree.ts';

/** A ledger's tree, from the hashes in the read model. It reads each tile of hashes once. */
export const createLedgerTree = <DB>(
  db: Kysely<DB>,
  { shopId, currency }: { shopId: string; currency: string },
): StoredTree =>
  createStoredTree(async ({ level, from, to }) => {
    const { rows } = await (
      level === 0
        ? sql<{ hash: string }>`
          select leaf_hash as hash from gateway.journal_entries
          where shop_id = ${shopId} and currency = ${currency}
            and revision >= ${from} and revision < ${to}
          order by revision`
        : sql<{ hash: string }>`
          select hash from gateway.ledger_tree_nodes
          where shop_id = ${shopId} and currency = ${currency}
            and level = ${level} and number >= ${from} and number < ${to}
          order by number`
    ).execute(db);
    return rows.map(({ hash }) => Buffer.from(hash, 'base64url'));
  });
