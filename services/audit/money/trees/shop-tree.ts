import { append, emptyFrontier, rootOf, type Frontier } from '#shared/platform/merkle/frontier.ts';

/** A checkpoint is appended a moment after its tree was read: this many leaves may precede it. */
const maxNewer = 16_384;

/** A perfect subtree of 256^level leaves that an entry completed. */
type CompletedNode = { level: number; number: number; hash: Buffer };

/** The tree of a shop's entries, with its roots at recent sizes. */
export type ShopTree = {
  readonly shopId: string;
  readonly frontier: Frontier;
  /** The time of the newest leaf; without one, of the shop. */
  readonly newestMs: number;
  readonly position: number;
  /** The size and time of the newest signed checkpoint. */
  signed?: { size: number; atMs: number };
  add(leaf: Buffer, at: { atMs: number; position: number }): CompletedNode[];
  /** Undefined for a size that it has not reached, or that is too long ago. */
  rootAt(size: number): Buffer | undefined;
  /** No smaller size will be requested. */
  forgetBefore(size: number): void;
};

/** An entry as a leaf, as the auditor makes it. */
export type PostedLeaf = {
  index: number;
  hash: string;
  atMs: number;
  merchantOperationId: string | null;
  tree: ShopTree;
  completed: readonly CompletedNode[];
};

export function createShopTree(
  shopId: string,
  start: { atMs: number; position: number },
): ShopTree {
  let frontier = emptyFrontier;
  /** The tree before the newer leaves. */
  let older = emptyFrontier;
  let newer: Buffer[] = [];
  let { atMs: newestMs, position } = start;
  const forget = (leaves: number) => {
    for (const leaf of newer.slice(0, leaves)) older = append(older, leaf).frontier;
    newer = newer.slice(leaves);
  };
  return {
    shopId,
    get frontier() {
      return frontier;
    },
    get newestMs() {
      return newestMs;
    },
    get position() {
      return position;
    },
    add: (leaf, at) => {
      const appended = append(frontier, leaf);
      frontier = appended.frontier;
      ({ atMs: newestMs, position } = at);
      newer.push(leaf);
      if (newer.length >= maxNewer) forget(maxNewer / 2);
      return appended.completed.flatMap(({ height, number, hash }) =>
        height % 8 === 0 ? { level: height / 8, number, hash } : [],
      );
    },
    rootAt: (size) => {
      if (size < older.size || size > frontier.size) return undefined;
      let tree = older;
      for (const leaf of newer.slice(0, size - older.size)) tree = append(tree, leaf).frontier;
      return rootOf(tree);
    },
    forgetBefore: (size) => forget(Math.max(0, size - older.size)),
  };
}
