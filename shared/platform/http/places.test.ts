import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('has room for so much and sends others away, until some leave, however they end', async () => {
  const all = createPlaces({ total: 100, ofOne: { shop: 100 } });
  const run = <T>(amount: number, work: () => Promise<T>) =>
    all.run({ shop: 'shop-1' }, amount, work);
  const doors = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const inside = doors.map(({ promise }, index) => run(index === 0 ? 60 : 40, () => promise));
  await expect(run(1, async () => 'third')).rejects.toMatchObject({ code: 'not_ready' });
  doors[0]?.resolve('first');
  expect(await inside[0]).toBe('first');
  await expect(run(61, async () => 'fourth')).rejects.toMatchObject({ code: 'not_ready' });
  expect(await run(60, async () => 'fifth')).toBe('fifth');
  doors[1]?.reject(new Error('failed'));
  await expect(inside[1]).rejects.toThrow('failed');
  expect(await Promise.all([run(50, async () => 1), run(50, async () => 2)])).toEqual([1, 2]);
});

it('lets no owner of any kind take the room of the others', async () => {
  const places = createPlaces({ total: 100, ofOne: { shop: 40, address: 60 } });
  const owners = (shop: string, address: string) => ({ shop, address });
  const first = places.enter(owners('a', '192.0.2.1'));
  first.take(30);
  first.take(10);
  expect(() => first.take(1)).toThrow(/retry later/);
  const second = places.enter(owners('b', '192.0.2.1'));
  second.take(20);
  expect(() => second.take(1)).toThrow(/retry later/);
  expect(await places.run(owners('b', '192.0.2.2'), 20, async () => 'in')).toBe('in');
  first.leave();
  first.leave();
  second.take(20);
  // What goes on after its end, such as a read that nobody waits for, holds nothing any more.
  expect(() => first.take(1)).toThrow(/retry later/);
});
