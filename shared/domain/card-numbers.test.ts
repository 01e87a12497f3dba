import { describe, expect, it, vi } from 'vitest';
import { holdsCardNumber, isCardNumber, plainDigits } from './card-numbers.ts';

describe('identifier', () => {
  it.each([
    '4111111111111111',
    'order-4111111111111111',
    'card4111111111111111',
    '5555.5555.5555.4444',
    '2200_0000_0000_0004',
    '3782-822463-10005',
    '6011 1111 1111 1117 ',
    '４１１１１１１１１１１１１１１１',
    '٤١١١١١١١١١١١١١١١',
    '4111\u200b1111\u200b1111\u200b1111',
    '4111–1111–1111–1111',
  ])('contains a card number: %s', (id) => {
    expect(holdsCardNumber(id)).toBe(true);
  });

  it.each([
    'order-1',
    '4111111111111112',
    '12345678-1234-8123-9123-123456789012',
    '45678901-2345-4678-9123-123456789012',
    'e5f40eee-bd7c-4cdb-b443-81405125873b',
    'command-e5f40eee-bd7c-4cdb-b443-81405125873b',
    '1795302172000',
    '1795302172000123456',
    '20261122230252',
    '20261122-230252-0001',
    '41111111111111114111111111111111',
    '4111111111111111abc',
    '0123456789abcdef0123456789abcdef',
  ])('contains no card number: %s', (id) => {
    expect(holdsCardNumber(id)).toBe(false);
  });

  it('is matched in a bounded number of steps per character', () => {
    const matchAll = vi.spyOn(String.prototype, 'matchAll');
    holdsCardNumber('4'.repeat(20));
    const patterns = matchAll.mock.calls.map(([pattern]) => pattern.source);
    matchAll.mockRestore();
    expect(patterns).toHaveLength(1);
    // Every quantifier has an upper limit, which bounds the length of a match.
    expect(patterns.join()).toMatch(/\{12,18\}/);
    expect(patterns.join()).not.toMatch(/[*+]|,\}/);
  });
});

it('recognises card numbers by prefix, length and check digit', () => {
  const numbers = [
    '4111111111111111',
    '4242424242424242',
    '30569309025904',
    '1111111111111117',
    '411111111116',
  ];
  expect(numbers.map(isCardNumber)).toEqual([true, true, true, false, false]);
});

it('converts digits of all scripts to ASCII', () => {
  expect(plainDigits('०१२३४५६७८９')).toBe('0123456789');
  expect(plainDigits('Ünïcode 42')).toBe('Ünïcode 42');
});
