import { LRUCache } from 'lru-cache';
import { emptyRoot, nodeHash } from './hashes.ts';
import { consistencyRanges, inclusionRanges, splitPoint, type Range } from './ranges.ts';

/** The number of adjacent subtrees whose hashes a tile has, as in C2SP tlog-tiles. */
export const tileWidth = 256;
const tileHeight = 8;

/**
 * Reads the roots of complete subtrees of 256^level leaves, from the `from`-th to before the
 * `to`-th, as far as they exist; level 0 are the leaves.
 */
type LoadHashes = (tile: { level: number; from: number; to: number }) => Promise<readonly Buffer[]>;

export type StoredTree = {
  root(size: number): Promise<Buffer>;
  inclusionProof(index: number, size: number): Promise<Buffer[]>;
  consistencyProof(from: number, size: number): Promise<Buffer[]>;
};

/**
 * Computes roots and proofs of an append-only tree from tiles of its hashes: with a million leaves
 * a proof reads at most six. It caches `maxTiles`, so that proofs of neighbouring leaves read each
 * tile once.
 */
export function createStoredTree(load: LoadHashes, maxTiles = 64): StoredTree {
  const tiles = new LRUCache<string, Buffer[][]>({ max: maxTiles });
  const incomplete = new LRUCache<string, Buffer>({ max: 1_024 });

  const readTile = async (level: number, tile: number, atLeast: number): Promise<Buffer[][]> => {
    const name = `${level} ${tile}`;
    const cached = tiles.get(name);
    if (cached && (cached[0]?.length ?? 0) >= atLeast) return cached;
    const from = tile * tileWidth;
    const hashes = await load({ level, from, to: from + tileWidth });
    if (hashes.length < atLeast)
      throw new Error(`hashes of level ${level} after ${from} are missing`);
    const read = [[...hashes]];
    tiles.set(name, read);
    return read;
  };

  /** The root of the n-th subtree of 2^height leaves. */
  const complete = async (height: number, number: number): Promise<Buffer> => {
    const above = height % tileHeight;
    const first = number * 2 ** above;
    const within = first % tileWidth;
    const [level, tile] = [Math.floor(height / tileHeight), Math.floor(first / tileWidth)];
    const heights = await readTile(level, tile, within + 2 ** above);
    return hashIn(heights, above, within / 2 ** above);
  };

  const readHash = async ([start, end]: Range): Promise<Buffer> => {
    const size = end - start;
    const height = Math.log2(size);
    if (Number.isInteger(height)) return complete(height, start / size);
    const name = `${start} ${end}`;
    const cached = incomplete.get(name);
    if (cached) return cached;
    const middle = splitPoint([start, end]);
    const hash = nodeHash(await readHash([start, middle]), await readHash([middle, end]));
    incomplete.set(name, hash);
    return hash;
  };

  const readHashes = async (ranges: readonly Range[]): Promise<Buffer[]> => {
    const hashes: Buffer[] = [];
    for (const range of ranges) hashes.push(await readHash(range));
    return hashes;
  };

  return {
    root: async (size) => (size === 0 ? emptyRoot : readHash([0, size])),
    inclusionProof: (index, size) => readHashes(inclusionRanges(index, size)),
    consistencyProof: (from, size) => readHashes(consistencyRanges(from, size)),
  };
}

/** The n-th hash at a height above the tile's hashes; intermediate hashes are computed once. */
function hashIn(heights: Buffer[][], height: number, number: number): Buffer {
  for (let at = 1; at <= height; at += 1) heights[at] ??= hashPairs(heights[at - 1] ?? []);
  const hash = heights[height]?.[number];
  if (!hash) throw new Error('a hash of a tile is missing');
  return hash;
}

function hashPairs(hashes: readonly Buffer[]): Buffer[] {
  const pairs: Buffer[] = [];
  for (let at = 0; at + 1 < hashes.length; at += 2) {
    const [left, right] = [hashes[at], hashes[at + 1]];
    if (left && right) pairs.push(nodeHash(left, right));
  }
  return pairs;
}
