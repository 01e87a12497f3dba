import {
  appendLeaf,
  emptyFrontier,
  computeRoot,
  type Frontier,
} from '#shared/platform/merkle/frontier.ts';

/** A checkpoint is appended a moment after its tree was read: this many leaves may precede it. */
const maxNewer = 16_384;

/** An entry as a leaf, as the auditor makes it. */
export type PostedLeaf = {
  hash: string;
  atMs: number;
  merchantOperationId: string | null;
  tree: LedgerTree;
};

type Leaf = { hash: Buffer; atMs: number };

/** A tree of entries, with its roots at recent sizes. */
export class EntryTree {
  frontier = emptyFrontier;
  /** The time of the newest leaf. */
  newestMs: number | undefined;
  /** The size and time of the newest signed checkpoint. */
  signed?: { size: number; atMs: number };
  /** The tree before the newer leaves. */
  #older = emptyFrontier;
  #newer: Leaf[] = [];

  add(leaf: Leaf): void {
    this.frontier = appendLeaf(this.frontier, leaf.hash).frontier;
    this.newestMs = leaf.atMs;
    this.#newer.push(leaf);
    if (this.#newer.length >= maxNewer) this.#forget(maxNewer / 2);
  }

  /** Undefined for a size that it has not reached, or that is too long ago. */
  rootAt(size: number): Buffer | undefined {
    const newer = size - this.#older.size;
    if (newer < 0 || size > this.frontier.size) return undefined;
    return computeRoot(withLeaves(this.#older, this.#newer.slice(0, newer)));
  }

  /** The time of a leaf; undefined if there is none, or if it is too long ago. */
  timeAt(index: number): number | undefined {
    return this.#newer[index - this.#older.size]?.atMs;
  }

  /** No smaller size will be signed. */
  sign(size: number, atMs: number): void {
    this.signed = { size, atMs };
    this.#forget(Math.max(0, size - this.#older.size));
  }

  #forget(leaves: number): void {
    this.#older = withLeaves(this.#older, this.#newer.splice(0, leaves));
  }
}

/** The tree of a ledger's entries. */
export class LedgerTree extends EntryTree {
  readonly shopId: string;
  readonly currency: string;

  constructor(shopId: string, currency: string) {
    super();
    this.shopId = shopId;
    this.currency = currency;
  }
}

const withLeaves = (tree: Frontier, leaves: readonly Leaf[]): Frontier =>
  leaves.reduce((before, { hash }) => appendLeaf(before, hash).frontier, tree);
