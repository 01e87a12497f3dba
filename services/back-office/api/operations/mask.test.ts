import { expect, test } from 'vitest';
import { maskNumber, maskNumbers, shownData } from './mask.ts';

test.each([
  ['4111111111111111', '411111******1111'],
  ['411111111112', '411111**1112'],
  ['+79161234567', '********4567'],
  ['9161234567', '******4567'],
  ['12', '12'],
])('masks %s as %s', (number, masked) => {
  expect(maskNumber(number)).toBe(masked);
});

test('does not mask a number again that is already masked', () => {
  for (const number of ['427638******5678', '********4567', '******4567', '411111**1112']) {
    expect(maskNumber(number)).toBe(number);
  }
});

test('masks a phone number without a plus by its method', () => {
  expect(maskNumber('375291234567', 'WT_RUB_PHONE')).toBe('********4567');
  expect(maskNumbers({ request: { number: '375291234567' } }, 'WT_RUB_PHONE')).toEqual({
    request: { number: '********4567' },
  });
  expect(maskNumber('411111111112', 'WT_RUB_C2C')).toBe('411111**1112');
});

test('masks numbers at any depth, and changes nothing else (R16.5)', () => {
  const event = {
    request: {
      client_id: '4111111111111111',
      destination: { number: '4111111111111111', name: 'x' },
    },
    legs: [{ number: '+79161234567', amount: '1.00' }],
    number: 7,
    none: null,
  };
  expect(maskNumbers(event)).toEqual({
    request: {
      client_id: '4111111111111111',
      destination: { number: '411111******1111', name: 'x' },
    },
    legs: [{ number: '********4567', amount: '1.00' }],
    number: 7,
    none: null,
  });
});

test('removes names of persons from an event', () => {
  const [number, masked] = ['4111111111111111', '411111******1111'];
  const request = { client_id: 'c', destination: { number, name: 'IVAN', bankname: 'x' } };
  expect(shownData({ request })).toEqual({
    request: { client_id: 'c', destination: { number: masked, bankname: 'x' } },
  });
  expect(shownData({ requisites: { number, name: 'IVAN' }, attempt: 1 })).toEqual({
    requisites: { number: masked },
    attempt: 1,
  });
  expect(shownData({ request: { client_id: 'c' } })).toEqual({ request: { client_id: 'c' } });
});
