import { hash as digest } from 'node:crypto';

/** The hashes and proofs of RFC 9162, section 2.1, with SHA-256. */

const sha256 = (bytes: Uint8Array): Buffer => digest('sha256', bytes, 'buffer');

export const emptyTreeRoot: Buffer = sha256(Buffer.of());

/** @param bytes in latin1 */
export const hashLeaf = (bytes: string): Buffer => sha256(Buffer.from(`\0${bytes}`, 'latin1'));

const pair = Buffer.alloc(65, 1);
function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(pair, 1);
  right.copy(pair, 33);
  return sha256(pair);
}

type Inclusion = { index: number; size: number; leaf: Buffer; hashes: readonly Buffer[] };

/**
 * The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2); undefined for a proof that
 * is not of this index and size.
 */
export function rootOfInclusion({ index, size, leaf, hashes }: Inclusion): Buffer | undefined {
  if (index < 0 || index >= size) return undefined;
  let [node, last, root] = [index, size - 1, leaf];
  for (const hash of hashes) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(hash, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      root = nodeHash(root, hash);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : undefined;
}

/**
 * The root of the first `size` leaves, a power of 2, that the inclusion proof of one of them in a
 * larger tree passes through.
 */
export function rootOfFirst(
  size: number,
  { index, leaf, hashes }: { index: number; leaf: Buffer; hashes: readonly Buffer[] },
): Buffer {
  let [node, root, width] = [index, leaf, 1];
  for (const hash of hashes) {
    if (width >= size) break;
    root = node % 2 === 1 ? nodeHash(hash, root) : nodeHash(root, hash);
    [node, width] = [Math.floor(node / 2), width * 2];
  }
  return root;
}

type Growth = {
  from: { size: number; root: Buffer };
  to: { size: number; root: Buffer };
  hashes: readonly Buffer[];
};

/** Whether the larger tree begins with the smaller one (RFC 9162, section 2.1.4.2). */
export function isConsistent({ from, to, hashes }: Growth): boolean {
  if (from.size > to.size) return false;
  if (from.size === to.size) return hashes.length === 0 && from.root.equals(to.root);
  if (from.size === 0) return hashes.length === 0;
  // A smaller tree that is one whole subtree of the larger one is where the path begins.
  const path = isPowerOf2(from.size) ? [from.root, ...hashes] : hashes;
  const roots = rootsOfGrowth({ from: from.size, to: to.size, path });
  return roots !== undefined && roots.from.equals(from.root) && roots.to.equals(to.root);
}

export function isPowerOf2(size: number): boolean {
  let rest = size;
  while (rest > 1 && rest % 2 === 0) rest /= 2;
  return rest === 1;
}

/**
 * The roots of both trees that a consistency proof leads to; undefined for one that is not of these
 * sizes, of which the first is neither 0 nor the second.
 */
export function rootsOfGrowth({
  from,
  to,
  path,
}: {
  from: number;
  to: number;
  /** With the root of the smaller tree at its beginning where its size is a power of 2. */
  path: readonly Buffer[];
}): { from: Buffer; to: Buffer } | undefined {
  let [node, last] = [from - 1, to - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  const [first, ...rest] = path;
  if (!first) return undefined;
  let [smaller, larger] = [first, first];
  for (const hash of rest) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      [smaller, larger] = [nodeHash(hash, smaller), nodeHash(hash, larger)];
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      larger = nodeHash(larger, hash);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? { from: smaller, to: larger } : undefined;
}
