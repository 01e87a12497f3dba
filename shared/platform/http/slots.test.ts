import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('rejects work beyond the capacity, until earlier work ends or fails', async () => {
  const all = createSlots({ total: 100, perOwner: { shop: 100 } });
  const run = <T>(amount: number, work: () => Promise<T>) =>
    all.run({ shop: 'shop-1' }, amount, work);
  const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const running = gates.map(({ promise }, index) => run(index === 0 ? 60 : 40, () => promise));
  await expect(run(1, async () => 'third')).rejects.toMatchObject({ code: 'not_ready' });
  gates[0]?.resolve('first');
  expect(await running[0]).toBe('first');
  await expect(run(61, async () => 'fourth')).rejects.toMatchObject({ code: 'not_ready' });
  expect(await run(60, async () => 'fifth')).toBe('fifth');
  gates[1]?.reject(new Error('failed'));
  await expect(running[1]).rejects.toThrow('failed');
  expect(await Promise.all([run(50, async () => 1), run(50, async () => 2)])).toEqual([1, 2]);
});

it('limits each owner of each kind, so that others keep capacity', async () => {
  const slots = createSlots({ total: 100, perOwner: { shop: 40, address: 60 } });
  const owners = (shop: string, address: string) => ({ shop, address });
  const first = slots.open(owners('a', '192.0.2.1'));
  first.acquire(30);
  first.acquire(10);
  expect(() => first.acquire(1)).toThrow(/retry later/);
  const second = slots.open(owners('b', '192.0.2.1'));
  second.acquire(20);
  expect(() => second.acquire(1)).toThrow(/retry later/);
  expect(await slots.run(owners('b', '192.0.2.2'), 20, async () => 'in')).toBe('in');
  first.release();
  first.release();
  second.acquire(20);
  // Work that continues after its release, such as an abandoned read, can acquire nothing.
  expect(() => first.acquire(1)).toThrow(/retry later/);
});
