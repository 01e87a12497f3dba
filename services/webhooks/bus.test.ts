import { describe, expect, it } from 'vitest';
import { decodePointer, encodePointer } from './bus.ts';

describe('a pointer', () => {
  const pointer = {
    eventId: 'e',
    stream: 'operation-1',
    revision: 3,
    position: '18446744073709551615',
  };

  it('is decoded as it was encoded', () => {
    expect(decodePointer(encodePointer(pointer))).toEqual(pointer);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"eventId":"e"}',
    JSON.stringify({ ...pointer, position: '-1' }),
  ])('is not decoded from %j', (text) =>
    expect(decodePointer(new TextEncoder().encode(text))).toBeUndefined(),
  );

  it('is not decoded from invalid UTF-8', () => {
    expect(decodePointer(Uint8Array.of(0xff, 0xfe))).toBeUndefined();
  });
});
