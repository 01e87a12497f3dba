import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('has room for so many bytes and sends others away, until some leave, however they end', async () => {
  const places = createPlaces(100);
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
