import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MalformedMessageError, ProtoReader } from './reader.ts';
import {
  bytesField,
  emptyField,
  encodeMessage,
  fieldLength,
  stringField,
  varintField,
  varintLength,
  writeField,
  writeTagged,
  writeVarint,
} from './writer.ts';

describe('varint', () => {
  it('round-trips, and has the computed length', () => {
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
  ])('has the same bytes for %i as for its bigint', (value) => {
    expect(varintField(3, value)).toEqual(varintField(3, BigInt(value)));
  });

  it('round-trips 64 bits as bigint', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const reader = new ProtoReader(varintField(1, value));
        reader.tag();
        expect(reader.uint64()).toBe(value);
      }),
    );
  });
});

describe('fields written in place', () => {
  it('have the same bytes and length as encoded messages', () => {
    const content = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 15 }),
        content,
        fc.maxSafeNat(),
        (field, bytes, value) => {
          const encoded = encodeMessage(bytesField(field, bytes), varintField(field, value));
          const length = fieldLength(bytes.length) + 1 + varintLength(value);
          const out = Buffer.alloc(length);
          const at = writeField(out, 0, (field << 3) | 2, bytes);
          expect(writeTagged(out, at, field << 3, value)).toBe(length);
          expect(out).toEqual(encoded);
        },
      ),
    );
  });
});

describe('ProtoReader', () => {
  it('skips unknown fields of every wire type', () => {
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
    let value = 0;
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === 40) value = reader.varint();
      else reader.skip(tag);
    }
    expect(value).toBe(7);
  });

  it.each([
    ['a truncated varint', Buffer.from([0x80])],
    ['a varint that never ends', Buffer.alloc(12, 0x80)],
    ['a truncated field', Buffer.from([0x0a, 5, 1])],
    ['a group', Buffer.from([0x0b])],
  ])('rejects %s', (_, bytes) => {
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
