import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('lets so many in and sends others away, until one leaves, however it ends', async () => {
  const places = createPlaces(2);
  const doors = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const inside = doors.map(({ promise }) => places.run(() => promise));
  const refused = { code: 'not_ready' };
  await expect(places.run(async () => 'third')).rejects.toMatchObject(refused);
  doors[0]?.resolve('first');
  expect(await inside[0]).toBe('first');
  expect(await places.run(async () => 'fourth')).toBe('fourth');
  doors[1]?.reject(new Error('failed'));
  await expect(inside[1]).rejects.toThrow('failed');
  expect(await Promise.all([places.run(async () => 1), places.run(async () => 2)])).toEqual([1, 2]);
});
