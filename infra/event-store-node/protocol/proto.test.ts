import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedMessageError, ProtoReader } from './proto-reader.ts';
import {
  bytesField,
  emptyField,
  encodeMessage,
  stringField,
  varintField,
  varintLength,
  writeVarint,
} from './proto-writer.ts';
import { encodeUuid, readUuid, uuidFromText, uuidToText } from './uuid.ts';

describe('varints', () => {
  it('come back as they were written, and have the length that was said', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        const out = Buffer.alloc(10);
        expect(writeVarint(out, 0, value)).toBe(varintLength(value));
        expect(new ProtoReader(out).varint()).toBe(value);
        expect(new ProtoReader(out).uint64()).toBe(BigInt(value));
      }),
    );
  });

  it.each([
    0,
    127,
    128,
    16_383,
    16_384,
    2 ** 28 - 1,
    2 ** 28,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32,
    2 ** 53 - 1,
  ])('%i has the same bytes as its bigint', (value) => {
    expect(varintField(3, value)).toEqual(varintField(3, BigInt(value)));
  });

  it('of 64 bits are exact as bigint', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const reader = new ProtoReader(varintField(1, value));
        reader.tag();
        expect(reader.uint64()).toBe(value);
      }),
    );
  });
});

describe('a reader', () => {
  it('skips every kind of field that it does not know', () => {
    const fixed64 = Buffer.from([0x09, 1, 2, 3, 4, 5, 6, 7, 8]);
    const fixed32 = Buffer.from([0x0d, 1, 2, 3, 4]);
    const message = encodeMessage(
      varintField(2, 300),
      fixed64,
      fixed32,
      stringField(17, 'x'),
      emptyField(4),
      varintField(5, 7),
    );
    const reader = new ProtoReader(message);
    let found = 0;
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === 40) found = reader.varint();
      else reader.skip(tag);
    }
    expect(found).toBe(7);
  });

  it.each([
    ['a truncated varint', Buffer.from([0x80])],
    ['a varint that never ends', Buffer.alloc(12, 0x80)],
    ['a truncated field', Buffer.from([0x0a, 5, 1])],
    ['a group', Buffer.from([0x0b])],
  ])('refuses %s', (_, bytes) => {
    const reader = new ProtoReader(bytes);
    expect(() => reader.skip(reader.tag())).toThrow(MalformedMessageError);
  });

  it('never reads beyond a nested message', () => {
    const message = encodeMessage(
      bytesField(1, Buffer.from([0x12, 9])),
      stringField(2, 'behind it'),
    );
    const reader = new ProtoReader(message);
    reader.tag();
    const nested = reader.message();
    expect(() => nested.skip(nested.tag())).toThrow(MalformedMessageError);
  });
});

describe('UUIDs', () => {
  it.each(['string', 'structured'] as const)('come back in the %s form', (form) => {
    fc.assert(
      fc.property(fc.uuid(), (text) => {
        const bytes = uuidFromText(text) ?? Buffer.alloc(0);
        expect(uuidToText(bytes)).toBe(text);
        expect(readUuid(new ProtoReader(encodeUuid(bytes, form)))).toEqual({ bytes, form });
      }),
    );
  });

  it.each(['', 'x', '00000000-0000-0000-0000-00000000000', 'zz0e8400-e29b-41d4-a716-446655440000'])(
    'are not %j',
    (text) => {
      expect(uuidFromText(text)).toBeUndefined();
      expect(readUuid(new ProtoReader(stringField(2, text))).bytes).toEqual(Buffer.alloc(16));
    },
  );
});
