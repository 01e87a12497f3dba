import { describe, expect, it, vi } from 'vitest';
import { useSandbox } from '../testing/use-sandbox.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

const within = { timeout: waitLimitMs, interval: 10 };

describe('callbacks', () => {
  const failures = new Map<string, number>();
  const stuck = new Set<string>();
  // Fails the first two deliveries of every operation: with a redirect, which is not followed, then
  // with a 503.
  const harness = useSandbox({
    answer: (_, { snapshot }) => {
      const failed = failures.get(snapshot.operation_id) ?? 0;
      failures.set(snapshot.operation_id, failed + 1);
      return stuck.has(snapshot.operation_id) ? 503 : ([302, 503][failed] ?? 200);
    },
  });

  it('are retried in order with the same ID and body until they are accepted (R20.4)', async () => {
    const { id } = await harness.client.accepted();
    await harness.client.control(id, 'leg', { amount: '10.00' });
    await harness.client.control(id, 'leg', { amount: '20.00' });
    const received = await harness.callbacks(id, 4);
    expect(received.map(({ snapshot }) => snapshot.legs.length)).toEqual([1, 1, 1, 2]);
    const [first, second, third] = received;
    expect(new Set([first, second, third].map((one) => one?.headers.get('webhook-id'))).size).toBe(
      1,
    );
    expect(new Set([first, second, third].map((one) => one?.body.toString())).size).toBe(1);
    const { callbacks } = await vi.waitUntil(async () => {
      const history = await harness.client.history(id);
      return (
        history.callbacks.every((one: { state: string }) => one.state === 'delivered') && history
      );
    }, within);
    expect(callbacks).toMatchObject([
      { deliveries: 3, last_status: 200, last_error: null, next_at: null },
      { deliveries: 1, last_status: 200 },
    ]);
  });

  it('are not blocked by those of another operation', async () => {
    const [blocked, free] = [await harness.client.accepted(), await harness.client.accepted()];
    stuck.add(blocked.id);
    await harness.client.control(blocked.id, 'leg', { amount: '1.00' });
    await harness.callbacks(blocked.id, 1);
    await harness.client.control(free.id, 'settle', { result: 'completed' });
    expect((await harness.callbacks(free.id, 3)).at(-1)?.snapshot.status).toBe('completed');
    expect((await harness.client.history(blocked.id)).callbacks).toMatchObject([
      { state: 'waiting' },
    ]);
  });
});

describe('deliberately faulty callbacks', () => {
  const harness = useSandbox();

  it('are duplicated with the same body (R20.4)', async () => {
    const { id } = await harness.client.accepted({ duplicate_callbacks: 3 });
    await harness.client.control(id, 'settle', { result: 'completed' });
    const received = await harness.callbacks(id, 4);
    expect(new Set(received.map(({ body }) => body.toString())).size).toBe(1);
    expect((await harness.client.history(id)).callbacks).toHaveLength(4);
  });

  it('are sent out of order (R20.4)', async () => {
    const { id } = await harness.client.accepted({ reorder_callbacks: true });
    await harness.client.control(id, 'leg', { amount: '40.00' });
    await harness.client.control(id, 'leg', { amount: '60.00' });
    const received = await harness.callbacks(id, 2);
    expect(received.map(({ snapshot }) => snapshot.status)).toEqual(['completed', 'open']);
  });
});
