import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readKeyId, open, sealValue, sealedPattern } from './sealed-value.ts';

const newKey = () => createSecretKey(randomBytes(32));
const keyId = 'k'.repeat(22);
const key = newKey();

describe('a sealed value', () => {
  it.each(['', '192.0.2.1', 'Иван И. 🙂', 'x'.repeat(2_000)])(
    'is decrypted unchanged: %s',
    (text) => {
      const sealed = sealValue(text, { keyId, key }, 'operation field');
      expect(sealed).toMatch(sealedPattern);
      expect(readKeyId(sealed)).toBe(keyId);
      expect(open(sealed, key, 'operation field')).toBe(text);
    },
  );

  it('differs each time, and reveals nothing of the text', () => {
    const [one, other] = [
      sealValue('+79001234567', { keyId, key }, 'a'),
      sealValue('+79001234567', { keyId, key }, 'a'),
    ];
    expect(one).not.toBe(other);
    expect(Buffer.from(one.split('.')[3] ?? '', 'base64url').includes('79001234567')).toBe(false);
  });

  it('cannot be decrypted with another key, in another context, or if altered', () => {
    const sealed = sealValue('text', { keyId, key }, 'a');
    const last = sealed.at(-2) === 'A' ? 'B' : 'A';
    expect(() => open(sealed, newKey(), 'a')).toThrow(/./);
    expect(() => open(sealed, key, 'b')).toThrow(/./);
    expect(() => open(`${sealed.slice(0, -2)}${last}${sealed.slice(-1)}`, key, 'a')).toThrow(/./);
    expect(() => open('v1.short', key, 'a')).toThrow(/./);
    expect(() => readKeyId('192.0.2.1')).toThrow('not a sealed value');
  });
});
