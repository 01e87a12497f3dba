import { defineTable, type RowOf } from '../read-model.ts';

export type TreeRow = RowOf<typeof treesTable>;

export type TreeNodeRow = RowOf<typeof treeNodesTable>;

export type CheckpointRow = RowOf<typeof checkpointsTable>;

export type LedgerOperationRow = RowOf<typeof ledgerOperationsTable>;

const independent = '(no foreign key: the two tables are filled independently)';

/** A condition for the trees that grew since they were signed, or of which a checkpoint is due. */
export const isToSign = 'size > coalesce(signed_size, 0) or requested_at is not null';

export const treesTable = defineTable()({
  name: 'ledger_trees',
  comment:
    'One row per ledger: the Merkle tree (RFC 9162, SHA-256) whose leaves are its entries. Hashes are in base64url.',
  primaryKey: ['shop_id', 'currency'],
  columns: {
    shop_id: { type: 'text not null', comment: `gateway.shops.shop_id ${independent}` },
    currency: { type: 'text not null', comment: 'Of the ledger' },
    size: { type: 'integer not null', comment: 'Its leaves: entries in gateway.journal_entries' },
    frontier: {
      type: 'text not null',
      comment: 'The roots of the perfect subtrees that it consists of, largest first',
    },
    newest_at: { type: 'timestamptz', comment: 'statement_at of the newest leaf' },
    signed_size: { type: 'integer', comment: 'Its size at the newest signed checkpoint' },
    signed_at: { type: 'timestamptz', comment: 'Time of that checkpoint' },
    requested_at: {
      type: 'timestamptz',
      comment: 'The time that a statement needs a checkpoint for; null once one covers it',
    },
    position: {
      type: 'bigint not null',
      comment: 'Position in the log of the newest leaf; without one, 0',
    },
  },
  // Few have grown since they were signed, and the signer reads those.
  indexes: [{ on: 'signed_at', where: isToSign }],
});

export const treeNodesTable = defineTable()({
  name: 'ledger_tree_nodes',
  comment:
    'Hashes inside the trees: one row for every 256 leaves, every 256 of these rows, and so on. With them a proof reads few rows.',
  primaryKey: ['shop_id', 'currency', 'level', 'number'],
  columns: {
    shop_id: { type: 'text not null', comment: 'Whose tree: gateway.ledger_trees.shop_id' },
    currency: { type: 'text not null', comment: 'Of the ledger' },
    level: { type: 'integer not null', comment: 'It is the root of 256 ^ level leaves' },
    number: { type: 'integer not null', comment: 'Which of its level, from 0' },
    hash: { type: 'text not null', comment: 'In base64url' },
  },
  indexes: [],
});

export const checkpointsTable = defineTable()({
  name: 'ledger_checkpoints',
  comment:
    'One row per signed root of a ledger’s tree: with it a merchant can prove that no entry was changed or removed since.',
  primaryKey: ['shop_id', 'currency', 'tree_size', 'signed_at'],
  columns: {
    shop_id: { type: 'text not null', comment: 'Whose tree: gateway.ledger_trees.shop_id' },
    currency: { type: 'text not null', comment: 'Of the ledger' },
    tree_size: { type: 'integer not null', comment: 'Its first leaves that are covered' },
    root: { type: 'text not null', comment: 'The root hash of these leaves, in base64url' },
    signed_at: {
      type: 'timestamptz not null',
      comment: 'Its time: every entry from before it is covered, and no later one',
    },
    key_id: { type: 'text not null', comment: 'The key, as in GET /v1/keys' },
    signature: { type: 'text not null', comment: 'Ed25519, in base64url' },
    revision: {
      type: 'integer not null',
      comment: 'Its number in stream checkpoints-<shop_id>-<currency>, from 0',
    },
    position: { type: 'bigint not null', comment: 'Its position in the log' },
  },
  indexes: [],
});

export const ledgerOperationsTable = defineTable()({
  name: 'ledger_operations',
  comment:
    "The merchant's own id of each operation, as its ledger entries have it: this read model has nothing else of operations.",
  primaryKey: ['operation_id'],
  columns: {
    operation_id: {
      type: 'uuid not null',
      comment: `gateway.operations.operation_id ${independent}`,
    },
    merchant_operation_id: { type: 'text not null', comment: "The merchant's own id" },
    admitted_at: { type: 'timestamptz not null', comment: 'When its create was admitted' },
  },
  indexes: [],
});
