import { expect, it } from 'vitest';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import { EntryTree, LedgerTree } from '../../money/trees/entry-tree.ts';
import { nodeRows, treeRow } from './tree-rows.ts';

it('creates a row for every 256 entries of a ledger', () => {
  const tree = new LedgerTree('shop-1', 'RUB');
  const rows = Array.from({ length: 300 }, (_, index) => {
    const completed = tree.add({ hash: leafHash(String(index)), atMs: index });
    return nodeRows({ hash: '', atMs: index, merchantOperationId: null, tree, completed });
  }).flat();
  const [first] = String(treeRow(tree).frontier).split(' ');
  const of = { shop_id: 'shop-1', currency: 'RUB' };
  expect(rows).toEqual([{ ...of, level: 1, number: 0, hash: first }]);
});

it('retains a requested time until a checkpoint covers it', () => {
  const tree = new LedgerTree('shop-1', 'RUB');
  const requested = () => treeRow(tree)['requested_at'];
  tree.request(2_000);
  tree.sign(0, 1_000);
  expect(requested()).toBe(2_000);
  tree.sign(0, 2_000);
  expect(requested()).toBeNull();
  tree.request(2_000);
  expect(requested()).toBeNull();
});

it('retains the roots of recent sizes', () => {
  const tree = new EntryTree();
  const roots = Array.from({ length: 20_000 }, (_, index) => {
    tree.add({ hash: leafHash(String(index)), atMs: 0 });
    return index === 15_000 ? tree.rootAt(index + 1) : undefined;
  });
  expect(tree.rootAt(15_001)).toEqual(roots[15_000]);
  expect(tree.rootAt(100)).toBeUndefined();
  expect(tree.rootAt(20_001)).toBeUndefined();
});
