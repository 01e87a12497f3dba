import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('has room for so many bytes and sends others away, until some leave, however they end', async () => {
  const all = createPlaces({ totalBytes: 100, ownerBytes: 100 });
  const places = {
    run: <T>(bytes: number, work: () => Promise<T>) => all.run({ owner: 'shop-1', bytes }, work),
  };
  const doors = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const inside = doors.map(({ promise }, index) => places.run(index === 0 ? 60 : 40, () => promise));
  await expect(places.run(1, async () => 'third')).rejects.toMatchObject({ code: 'not_ready' });
  doors[0]?.resolve('first');
  expect(await inside[0]).toBe('first');
  await expect(places.run(61, async () => 'fourth')).rejects.toMatchObject({ code: 'not_ready' });
  expect(await places.run(60, async () => 'fifth')).toBe('fifth');
  doors[1]?.reject(new Error('failed'));
  await expect(inside[1]).rejects.toThrow('failed');
  expect(await Promise.all([places.run(50, async () => 1), places.run(50, async () => 2)])).toEqual([1, 2]);
});

it('lets no owner take the room of the others', async () => {
  const places = createPlaces({ totalBytes: 100, ownerBytes: 40 });
  const door = Promise.withResolvers<void>();
  const inside = places.run({ owner: 'shop-1', bytes: 40 }, () => door.promise);
  const one = { owner: 'shop-1', bytes: 1 };
  await expect(places.run(one, async () => 1)).rejects.toMatchObject({ code: 'not_ready' });
  expect(await places.run({ owner: 'shop-2', bytes: 40 }, async () => 2)).toBe(2);
  door.resolve();
  await inside;
  expect(await places.run(one, async () => 3)).toBe(3);
});
