import { expect, it } from 'vitest';
import { createGenerationalMap } from './generational-map.ts';

it('retains the newest entries and drops old ones', () => {
  const map = createGenerationalMap<number, string>(10);
  for (let key = 0; key < 100; key += 1) map.set(key, `v${key}`);
  expect(map.get(99)).toBe('v99');
  expect(map.get(90)).toBe('v90');
  expect(map.get(50)).toBeUndefined();
});

it('retains entries that are read', () => {
  const map = createGenerationalMap<number, string>(10);
  map.set(-1, 'wanted');
  for (let key = 0; key < 100; key += 1) {
    map.set(key, 'x');
    expect(map.get(-1)).toBe('wanted');
  }
});

it('has one value per key, and deletes it from every generation', () => {
  const map = createGenerationalMap<number, string>(2);
  map.set(1, 'old');
  map.set(2, 'x');
  map.set(3, 'x');
  map.set(1, 'new');
  expect(map.get(1)).toBe('new');
  map.delete(1);
  expect(map.get(1)).toBeUndefined();
  map.clear();
  expect(map.get(3)).toBeUndefined();
});
