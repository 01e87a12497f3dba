import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { stringField } from '#shared/platform/protobuf/writer.ts';
import { encodeUuid, readWireUuid, uuidFromText, uuidToText } from './uuid.ts';

describe('UUIDs', () => {
  it.each(['string', 'structured'] as const)('survive a round trip in the %s form', (form) => {
    fc.assert(
      fc.property(fc.uuid(), (text) => {
        const bytes = uuidFromText(text) ?? Buffer.alloc(0);
        expect(uuidToText(bytes)).toBe(text);
        expect(readWireUuid(new ProtoReader(encodeUuid(bytes, form)))).toEqual({ bytes, form });
      }),
    );
  });

  it.each(['', 'x', '00000000-0000-0000-0000-00000000000', 'zz0e8400-e29b-41d4-a716-446655440000'])(
    'do not include %j',
    (text) => {
      expect(uuidFromText(text)).toBeUndefined();
      expect(readWireUuid(new ProtoReader(stringField(2, text))).bytes).toEqual(Buffer.alloc(16));
    },
  );
});
