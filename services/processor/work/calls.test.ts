import { describe, expect, test } from 'vitest';
import { createCalls } from './calls.ts';

const limits = { perLane: 2, total: 3 };

describe('calls in flight', () => {
  test('are limited per provider and in total, and none waits', async () => {
    const calls = createCalls(limits, () => 0);
    const hangs = Promise.withResolvers<string>();
    const call = (provider: string) => calls.run(provider, () => hangs.promise);
    const slow = [call('slow'), call('slow'), call('other')];
    expect(await call('slow')).toMatchObject({ outcome: 'busy' });
    expect(await call('other')).toMatchObject({ outcome: 'busy' });
    hangs.resolve('answer');
    expect(await Promise.all(slow)).toEqual(['answer', 'answer', 'answer']);
    expect(await call('slow')).toBe('answer');
  });

  test('leave capacity for the other providers', async () => {
    const calls = createCalls(limits, () => 0);
    const hangs = Promise.withResolvers<string>();
    const slow = [1, 2].map(() => calls.run('slow', () => hangs.promise));
    expect(await calls.run('other', async () => 'answer')).toBe('answer');
    hangs.resolve('answer');
    await Promise.all(slow);
  });

  test('free their slot when they throw', async () => {
    const calls = createCalls({ perLane: 1, total: 1 }, () => 0);
    await expect(calls.run('p', () => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
    expect(await calls.run('p', async () => 'answer')).toBe('answer');
  });

  test('are rejected with growing retry delays, up to a bound', async () => {
    const calls = createCalls({ perLane: 0, total: 1 }, () => 1_000);
    const waits: number[] = [];
    for (let turn = 0; turn < 10_000; turn += 1) {
      const result = await calls.run('p', async () => undefined);
      if (result) waits.push(result.retryMs);
    }
    expect(waits.slice(0, 3)).toEqual([500, 505, 510]);
    expect(waits.at(-1)).toBe(30_000);
  });
});
