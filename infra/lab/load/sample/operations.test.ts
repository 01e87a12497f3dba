import { expect, it } from 'vitest';
import { createOperations } from './operations.ts';

it('counts an operation as open between its response and its terminal webhook, in either order', () => {
  const operations = createOperations();
  operations.addCreated(['a', 'b']);
  expect(operations.open()).toBe(2);
  operations.addWebhooks([
    ['a', 1, false],
    ['a', 2, true],
    ['c', 1, true],
  ]);
  expect(operations.open()).toBe(1);
  operations.addCreated(['c']);
  expect(operations.open()).toBe(1);
  operations.addWebhooks([['b', 1, true]]);
  expect(operations.totals()).toEqual({
    created: 3,
    ended: 3,
    webhooks: 4,
    repeats: 0,
    outOfOrder: 0,
    gaps: 0,
    unanswered: 0,
  });
});

it('counts repeats, gaps, disorder, and webhooks of unanswered creates', () => {
  const operations = createOperations();
  operations.addCreated(['twice', 'gap', 'late']);
  operations.addWebhooks([
    ['twice', 1, true],
    ['twice', 1, true],
    ['gap', 2, true],
    ['late', 2, true],
    ['late', 1, false],
    ['nobody', 1, true],
  ]);
  expect(operations.totals()).toMatchObject({ ended: 3, webhooks: 5 });
  expect(operations.totals()).toMatchObject({ repeats: 1, gaps: 1, outOfOrder: 1, unanswered: 1 });
});
