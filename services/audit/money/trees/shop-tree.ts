import { append, emptyFrontier, rootOf, type Frontier } from '#shared/platform/merkle/frontier.ts';

/** A checkpoint is appended a moment after its tree was read: this many leaves may precede it. */
const maxNewer = 16_384;

/** A perfect subtree of 256^level leaves that an entry completed. */
type CompletedNode = { level: number; number: number; hash: Buffer };

/** An entry as a leaf, as the auditor makes it. */
export type PostedLeaf = {
  index: number;
  hash: string;
  atMs: number;
  merchantOperationId: string | null;
  tree: ShopTree;
  completed: readonly CompletedNode[];
};

/** The tree of a shop's entries, with its roots at recent sizes. */
export class ShopTree {
  readonly shopId: string;
  frontier = emptyFrontier;
  /** The time of the newest leaf; without one, of the shop. */
  newestMs: number;
  position: number;
  /** The size and time of the newest signed checkpoint. */
  signed?: { size: number; atMs: number };
  /** The tree before the newer leaves. */
  #older = emptyFrontier;
  #newer: Buffer[] = [];

  constructor(shopId: string, { atMs, position }: { atMs: number; position: number }) {
    this.shopId = shopId;
    this.newestMs = atMs;
    this.position = position;
  }

  add(leaf: Buffer, { atMs, position }: { atMs: number; position: number }): CompletedNode[] {
    const { frontier, completed } = append(this.frontier, leaf);
    Object.assign(this, { frontier, newestMs: atMs, position });
    this.#newer.push(leaf);
    if (this.#newer.length >= maxNewer) this.#forget(maxNewer / 2);
    return completed.flatMap(({ height, number, hash }) =>
      height % 8 === 0 ? { level: height / 8, number, hash } : [],
    );
  }

  /** Undefined for a size that it has not reached, or that is too long ago. */
  rootAt(size: number): Buffer | undefined {
    const newer = size - this.#older.size;
    if (newer < 0 || size > this.frontier.size) return undefined;
    return rootOf(withLeaves(this.#older, this.#newer.slice(0, newer)));
  }

  /** No smaller size will be requested. */
  forgetBefore(size: number): void {
    this.#forget(Math.max(0, size - this.#older.size));
  }

  #forget(leaves: number): void {
    this.#older = withLeaves(this.#older, this.#newer.splice(0, leaves));
  }
}

const withLeaves = (tree: Frontier, leaves: readonly Buffer[]): Frontier =>
  leaves.reduce((before, leaf) => append(before, leaf).frontier, tree);
