import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isConsistent, rootOfInclusion } from '#clients/typescript/statement/merkle.ts';
import { appendLeaf, emptyFrontier, computeRoot, type Frontier } from './frontier.ts';
import { emptyRoot, leafHash, nodeHash } from './hashes.ts';
import { createStoredTree, tileWidth } from './stored-tree.ts';

/** The leaves and roots that implementations of RFC 6962 and RFC 9162 share as examples. */
const examples = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657']
  .concat('606162636465666768696a6b6c6d6e6f')
  .map((hex) => leafHash(Buffer.from(hex, 'hex')));
const exampleRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** The definition in RFC 9162, section 2.1.1. */
function definedRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (!only) return emptyRoot;
  if (leaves.length === 1) return only;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return nodeHash(definedRoot(leaves.slice(0, half)), definedRoot(leaves.slice(half)));
}

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => leafHash(String(index)));

/** The tree as it is stored: the leaves, and the roots of every 256 hashes of a level. */
function storedTree(leaves: readonly Buffer[], maxTiles?: number) {
  const levels: Buffer[][] = [];
  let frontier: Frontier = emptyFrontier;
  const add = (level: number, hash: Buffer) => (levels[level] ??= []).push(hash);
  for (const leaf of leaves) {
    const { frontier: next, completed } = appendLeaf(frontier, leaf);
    frontier = next;
    add(0, leaf);
    for (const { height, hash } of completed) if (height % 8 === 0) add(height / 8, hash);
  }
  let loads = 0;
  const load = async ({ level, from, to }: { level: number; from: number; to: number }) => {
    loads += 1;
    return (levels[level] ?? []).slice(from, to);
  };
  return { ...createStoredTree(load, maxTiles), frontier, loads: () => loads };
}

const flipped = (hash: Buffer, bit: number) => {
  const copy = Buffer.from(hash);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
};

describe('Merkle tree', () => {
  it('is tested against a definition that reproduces the roots of the RFC 6962 examples', () => {
    expect(examples.map((_, at) => definedRoot(examples.slice(0, at)).toString('hex'))).toEqual(
      exampleRoots.slice(0, -1),
    );
    expect(definedRoot(examples).toString('hex')).toBe(exampleRoots.at(-1));
  });

  it('builds the proofs of the RFC 6962 examples', async () => {
    const tree = storedTree(examples);
    const proof = (await tree.inclusionProof(5, 8)).map((hash) => hash.toString('hex'));
    expect(proof).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    const consistency = (await tree.consistencyProof(6, 8)).map((hash) => hash.toString('hex'));
    expect(consistency).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });

  it('has the defined root at every size, and proves each of its leaves', async () => {
    for (let size = 0; size <= 40; size += 1) {
      const leaves = leavesOf(size);
      const root = definedRoot(leaves);
      const tree = storedTree(leaves);
      expect(computeRoot(tree.frontier)).toEqual(root);
      expect(await tree.root(size)).toEqual(root);
      for (const [index, leaf] of leaves.entries()) {
        const hashes = await tree.inclusionProof(index, size);
        expect(rootOfInclusion({ index, size, leaf, hashes })).toEqual(root);
      }
    }
  });

  it('is consistent with each of its earlier sizes', async () => {
    const leaves = leavesOf(40);
    const tree = storedTree(leaves);
    for (let size = 0; size <= 40; size += 1)
      for (let from = 0; from <= size; from += 1)
        expect(
          isConsistent({
            from: { size: from, root: definedRoot(leaves.slice(0, from)) },
            to: { size, root: definedRoot(leaves.slice(0, size)) },
            hashes: await tree.consistencyProof(from, size),
          }),
        ).toBe(true);
  });

  it('loads few tiles to prove leaves of a large tree', async () => {
    const count = tileWidth * tileWidth + 3 * tileWidth + 17;
    const leaves = leavesOf(count);
    const tree = storedTree(leaves);
    const root = computeRoot(tree.frontier);
    for (const index of [0, 255, 256, 65_535, 65_536, 66_303, 66_304, count - 1]) {
      const hashes = await tree.inclusionProof(index, count);
      const leaf = leaves[index] ?? emptyRoot;
      expect(rootOfInclusion({ index, size: count, leaf, hashes })).toEqual(root);
    }
    const from = { size: 65_000, root: await tree.root(65_000) };
    const hashes = await tree.consistencyProof(from.size, count);
    expect(isConsistent({ from, to: { size: count, root }, hashes })).toBe(true);
    expect(tree.loads()).toBeLessThan(20);
  });

  it('rejects a proof with a flipped bit, a missing or an extra hash', async () => {
    const leaves = leavesOf(100);
    const tree = storedTree(leaves);
    const root = await tree.root(100);
    const half = { size: 37, root: await tree.root(37) };
    const consistency = await tree.consistencyProof(37, 100);
    await fc.assert(
      fc.asyncProperty(fc.nat(99), fc.nat(255), fc.nat(20), async (index, bit, at) => {
        const proof = await tree.inclusionProof(index, 100);
        const leaf = leaves[index] ?? emptyRoot;
        const provesRoot = (hashes: Buffer[], provenLeaf = leaf) =>
          rootOfInclusion({ index, size: 100, leaf: provenLeaf, hashes })?.equals(root) ?? false;
        const damaged = (hashes: Buffer[]) =>
          hashes.map((hash, n) => (n === at % hashes.length ? flipped(hash, bit) : hash));
        expect(provesRoot(proof)).toBe(true);
        expect(provesRoot(proof, flipped(leaf, bit))).toBe(false);
        for (const wrong of [damaged(proof), proof.slice(1), [...proof, root]])
          expect(provesRoot(wrong)).toBe(false);
        const holds = (hashes: Buffer[]) =>
          isConsistent({ from: half, to: { size: 100, root }, hashes });
        expect(holds(consistency)).toBe(true);
        for (const wrong of [damaged(consistency), consistency.slice(1), [...consistency, root]])
          expect(holds(wrong)).toBe(false);
      }),
    );
  });
});
