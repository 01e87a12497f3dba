import { expect, it } from 'vitest';
import { DueHints } from './due-hints.ts';
import { LaneTable } from './lane-table.ts';

it('holds each notified shop once, up to its limit', () => {
  const hints = new DueHints(2);
  expect(['a', 'b', 'a', 'c', 'b'].map((shopId) => hints.add(shopId))).toEqual([
    true,
    true,
    true,
    false,
    true,
  ]);
  expect(hints.take()).toEqual(['a', 'b']);
  expect(hints.take()).toEqual([]);
  expect(hints.add('c')).toBe(true);
});

it('drops lanes without an endpoint once they have nothing due', () => {
  const lanes = new LaneTable();
  const due = new Set(['held']);
  for (const shopId of ['held', 'held and nothing due', 'soon'])
    lanes.dueIn(shopId, { shopId, inMs: 1_000 }).heldUntilMs =
      shopId === 'soon' ? 0 : Number.POSITIVE_INFINITY;
  lanes.dropIdle(due);
  expect([...lanes.all()].map(({ shopId }) => shopId)).toEqual(['held', 'soon']);
});
