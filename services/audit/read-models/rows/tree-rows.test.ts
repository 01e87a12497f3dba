import { expect, it } from 'vitest';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import { ShopTree } from '../../money/trees/shop-tree.ts';
import { nodeRows, treeRow } from './tree-rows.ts';

it('creates a row for every 256 entries of a shop', () => {
  const tree = new ShopTree('shop-1', { atMs: 0, position: 0 });
  const rows = Array.from({ length: 300 }, (_, index) => {
    const completed = tree.add(leafHash(String(index)), { atMs: index, position: index });
    const leaf = { index, hash: '', atMs: index, merchantOperationId: null, tree, completed };
    return nodeRows(leaf);
  }).flat();
  const [first] = String(treeRow(tree).frontier).split(' ');
  expect(rows).toEqual([{ shop_id: 'shop-1', level: 1, number: 0, hash: first }]);
});

it('retains the roots of recent sizes', () => {
  const tree = new ShopTree('shop-1', { atMs: 0, position: 0 });
  const roots = Array.from({ length: 20_000 }, (_, index) => {
    tree.add(leafHash(String(index)), { atMs: 0, position: index });
    return index === 15_000 ? tree.rootAt(index + 1) : undefined;
  });
  expect(tree.rootAt(15_001)).toEqual(roots[15_000]);
  expect(tree.rootAt(100)).toBeUndefined();
  expect(tree.rootAt(20_001)).toBeUndefined();
});
