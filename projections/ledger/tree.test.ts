import { describe, expect, it } from 'vitest';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { leafHash } from '#shared/platform/merkle/hashes.ts';
import { storedEvents } from '../testing/stored-events.ts';
import { readLedgerEntry } from './project.ts';
import {
  emptyTree,
  isAhead,
  rowOfTree,
  treeAfter,
  treeOfRow,
  treeRequested,
  treeSigned,
} from './tree.ts';

const entries = storedEvents(
  'ledger-shop-1-RUB',
  storedExamples.ledger.map(({ data }) => ({ type: 'EntryPosted', data })),
).map(readLedgerEntry);
const [credit, reserve] = entries;
if (!credit || !reserve) throw new Error('examples are missing');

const ledger = { shop_id: 'shop-1', currency: 'RUB' };
const checkpoint = { ...ledger, tree_size: 1, root: 'r', key_id: 'k', signature: 's' };

describe('Merkle tree of a ledger', () => {
  it('has the canonical JSON of an entry as its leaf (R25.2)', () => {
    const { leaf, tree } = treeAfter(emptyTree('shop-1', 'RUB'), credit, 'order "1"');
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
    const { tree } = treeAfter(emptyTree('shop-1', 'RUB'), credit, null);
    const event = { ...reserve.event, created: new Date(0) };
    const { leaf } = treeAfter(tree, { ...reserve, event }, null);
    expect(leaf.at).toEqual(credit.event.created);
  });

  it('has no time from before the checkpoint that it follows (R25.2)', () => {
    const { tree } = treeAfter(emptyTree('shop-1', 'RUB'), credit, null);
    const at = new Date(reserve.event.created.getTime() + 60_000);
    const signed = treeSigned(tree, { ...checkpoint, signed_at: at.toISOString() });
    expect(treeAfter(signed, reserve, null)).toMatchObject({
      leaf: { at },
      tree: { newest_at: at },
    });
    expect(isAhead(signed, at.getTime())).toBe(false);
    expect(isAhead(signed, at.getTime() - 60_000)).toBe(true);
  });

  it('stores the root of every 256 leaves', () => {
    let tree = emptyTree('shop-1', 'RUB');
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

  it('retains a requested time until a checkpoint covers it (R25.1)', () => {
    const [early, late] = ['2026-01-31T12:00:00.000Z', '2026-01-31T13:00:00.000Z'];
    const requested = treeRequested(emptyTree('shop-1', 'RUB'), { ...ledger, covers: late });
    const before = treeSigned(requested, { ...checkpoint, signed_at: early });
    expect(before.requested_at).toEqual(new Date(late));
    const covered = treeSigned(before, { ...checkpoint, signed_at: late });
    expect(covered.requested_at).toBeNull();
    expect(treeRequested(covered, { ...ledger, covers: early }).requested_at).toBeNull();
  });
});
