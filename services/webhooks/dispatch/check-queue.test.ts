import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RecordedClaim } from '../claim.ts';
import { checkLimits, createCheckQueue } from './check-queue.ts';

const claimed = (messageId: string, more: Partial<RecordedClaim> = {}): RecordedClaim => ({
  messageId,
  shopId: 'shop-1',
  endpointId: 'shop-1',
  operationId: null,
  type: 'payment.completed',
  sequence: 1,
  mac: null,
  body: '{}',
  occurredAtMs: 0,
  traceparent: null,
  token: 'token',
  leaseEndsMs: Infinity,
  ...more,
});

/** A queue whose checks end when the test ends them. */
function testQueue() {
  const open = new Map<string, (result: boolean | undefined) => void>();
  const checked: [string, boolean | undefined][] = [];
  const queue = createCheckQueue({
    check: ({ messageId }) => new Promise((resolve) => open.set(messageId, resolve)),
    onChecked: ({ messageId }, result) => void checked.push([messageId, result]),
  });
  const end = async (messageId: string, result: boolean | undefined) => {
    open.get(messageId)?.(result);
    open.delete(messageId);
    await turn();
  };
  const offer = (shopId: string, count: number) =>
    Array.from({ length: count }, (_, at) => queue.offer(claimed(`${shopId} ${at}`), shopId));
  return { queue, open, checked, end, offer };
}

it('lets the checks of one shop delay no others (R14.22)', async () => {
  const { open, checked, end, offer } = testQueue();
  const room = checkLimits.shopAtOnce + checkLimits.shopWaiting;
  const taken = offer('a', room + 3);
  expect(taken.filter((each) => !each)).toHaveLength(3);
  expect(taken.indexOf(false)).toBe(room);
  expect(open.size).toBe(checkLimits.shopAtOnce);

  expect(offer('b', 1)).toEqual([true]);
  await end('b 0', true);
  await end('a 3', false);
  await end('a 4', undefined);
  expect(checked).toEqual([
    ['b 0', true],
    ['a 3', false],
    ['a 4', undefined],
  ]);
  expect(open.size).toBe(checkLimits.shopAtOnce);
  for (const shop of ['c', 'd', 'e', 'f']) offer(shop, checkLimits.shopAtOnce);
  expect(open.size).toBe(checkLimits.atOnce);
});

it('uses a late result while the lease lasts, and never for a newer claim (R14.22)', async () => {
  const { queue, open, checked, end, offer } = testQueue();
  const lease = claimed('ended');
  expect(queue.offer(lease, 'a')).toBe(true);
  expect(queue.offer(claimed('late'), 'a')).toBe(true);
  lease.leaseEndsMs = performance.now();
  expect(queue.offer(claimed('late', { token: 'newer', body: '{"changed":1}' }), 'a')).toBe(false);
  await end('ended', true);
  await end('late', true);
  expect(checked).toEqual([['late', true]]);

  offer('a', checkLimits.shopAtOnce);
  queue.offer(claimed('waits', { leaseEndsMs: performance.now() }), 'a');
  await end('a 0', true);
  expect(open.has('waits')).toBe(false);
});

it('gives back what it has when it closes', async () => {
  const { queue, checked, end, offer } = testQueue();
  offer('a', checkLimits.shopAtOnce + 1);
  expect(queue.close()).toHaveLength(checkLimits.shopAtOnce + 1);
  await end('a 0', true);
  expect(checked).toEqual([]);
  expect(offer('b', 1)).toEqual([false]);
});
