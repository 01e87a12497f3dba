import { describe, expect, it } from 'vitest';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { readEntry } from './project.ts';
import { emptyTree, rowOfTree, treeAfter, treeOfRow } from './tree.ts';

const entries = storedEvents(
  'ledger-shop-1-RUB',
  storedExamples.ledger.map(({ data }) => ({ type: 'EntryPosted', data })),
).map(readEntry);
const [credit, reserve] = entries;
if (!credit || !reserve) throw new Error('examples are missing');

describe('Merkle tree of a shop', () => {
  it('has the canonical JSON of an entry as its leaf (R25.2)', () => {
    const { leaf, tree } = treeAfter(emptyTree('shop-1', credit.event), credit, 'order "1"');
    expect(leaf.hash).toEqual(
      leafHash(
        '{"amount":"97.50","at":"2026-01-31T12:00:00.000Z","balance":"97.50",' +
          '"entry_id":"ledger-shop-1-RUB/0","kind":"credit",' +
          '"merchant_operation_id":"order \\"1\\"",' +
          '"operation_id":"6f1d5b1e-0000-8000-8000-000000000001","reserved":"0.00"}',
      ),
    );
    expect(rowOfTree(tree)).toMatchObject({ size: 1, frontier: leaf.hash.toString('base64url') });
  });

  it('never goes back in time, whatever the clocks of the log (R25.2)', () => {
    const { tree } = treeAfter(emptyTree('shop-1', credit.event), credit, null);
    const event = { ...reserve.event, created: new Date(0) };
    const { leaf } = treeAfter(tree, { ...reserve, event }, null);
    expect(leaf.at).toEqual(credit.event.created);
  });

  it('stores the root of every 256 leaves', () => {
    let tree = emptyTree('shop-1', credit.event);
    const nodes = [];
    for (let index = 0; index < 513; index += 1) {
      const after = treeAfter(tree, credit, null);
      tree = after.tree;
      nodes.push(...after.nodes.map(({ level, number }) => [index, level, number]));
    }
    expect(nodes).toEqual([
      [255, 1, 0],
      [511, 1, 1],
    ]);
    expect(rowOfTree(tree).frontier.split(' ')).toHaveLength(2);
    expect(rowOfTree(treeOfRow(rowOfTree(tree)))).toEqual(rowOfTree(tree));
  });
});
