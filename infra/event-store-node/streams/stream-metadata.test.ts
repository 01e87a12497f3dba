import { describe, expect, it } from 'vitest';
import {
  NO_METADATA,
  SOFT_DELETE_DATA,
  parseStreamMetadata,
  undeletedMetadata,
} from './stream-metadata.ts';

const parse = (text: string) => parseStreamMetadata(Buffer.from(text));

describe('stream metadata', () => {
  it('is parsed into limits, without other fields', () => {
    expect(parse('{"$maxCount":5,"$maxAge":60,"$tb":3,"owner":"x","$acl":{}}')).toEqual({
      maxCount: 5,
      maxAgeSeconds: 60,
      truncateBefore: 3,
      softDeleted: false,
    });
  });

  it('marks a soft delete', () => {
    expect(parseStreamMetadata(SOFT_DELETE_DATA).softDeleted).toBe(true);
    expect(parse('{"$tb":9007199254740991}').softDeleted).toBe(false);
  });

  it.each([
    '',
    'no json',
    'null',
    '[1]',
    '"x"',
    '{"$maxCount":0}',
    '{"$maxAge":"1"}',
    '{"$tb":-1}',
    '{"$maxCount":1.5}',
  ])('is ignored if it is %j', (text) => {
    expect(parse(text)).toEqual(NO_METADATA);
  });

  it('retains other fields when a soft delete is reverted', () => {
    const data = Buffer.from('{"$tb":9223372036854775807,"owner":"x"}');
    expect(undeletedMetadata(data, 4)?.toString()).toBe('{"$tb":4,"owner":"x"}');
    expect(undeletedMetadata(Buffer.from('no json'), 4)).toBeUndefined();
  });
});
