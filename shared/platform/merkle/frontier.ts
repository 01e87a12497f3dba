import { emptyRoot, nodeHash } from './hashes.ts';

/**
 * What appending to a tree requires: its size, and the roots of its perfect subtrees, largest
 * first.
 */
export type Frontier = { readonly size: number; readonly hashes: readonly Buffer[] };

export const emptyFrontier: Frontier = { size: 0, hashes: [] };

/** A perfect subtree of 2^height leaves: the n-th of its height, from 0. */
type Subtree = { height: number; number: number; hash: Buffer };

/** The tree with one more leaf, and the perfect subtrees that this leaf completes, lowest first. */
export function appendLeaf(
  { size, hashes }: Frontier,
  leaf: Buffer,
): { frontier: Frontier; completed: Subtree[] } {
  const subtrees = [...hashes];
  const completed: Subtree[] = [];
  let hash = leaf;
  let number = size;
  for (let height = 1; number % 2 === 1; height += 1) {
    const left = subtrees.pop();
    if (!left) throw new Error(`the frontier of ${size} leaves has too few hashes`);
    hash = nodeHash(left, hash);
    number = Math.floor(number / 2);
    completed.push({ height, number, hash });
  }
  return { frontier: { size: size + 1, hashes: [...subtrees, hash] }, completed };
}

export function computeRoot({ hashes }: Frontier): Buffer {
  const root = hashes.reduceRight<Buffer | undefined>(
    (right, left) => (right ? nodeHash(left, right) : left),
    undefined,
  );
  return root ?? emptyRoot;
}
