import { describe, expect, it } from 'vitest';
import { redactText } from './redact.ts';

describe('redaction of text', () => {
  it.each([
    ['key gw_abcdefghijklmnopqrstuvwxyz0123456789ABCD here', 'key gw_[redacted] here'],
    ['secret whsec_QUJDREVGR0hJSktMTU5PUA== here', 'secret whsec_[redacted] here'],
    ['card 4111 1111 1111 1111 declined', 'card [number] declined'],
    ['"4111-1111-1111-1111"', '"[number]"'],
    ['phone +79161234567', 'phone [number]'],
  ])('masks %s', (text, masked) => {
    expect(redactText(text)).toBe(masked);
  });

  it.each([
    '018f2f2e-5f67-8a1b-9c3d-0123456789ab',
    '2026-01-31T12:00:00.000Z',
    '{"amount":"123456789012345.00"}',
    'revision 12345',
  ])('leaves %s alone', (text) => {
    expect(redactText(text)).toBe(text);
  });
});
