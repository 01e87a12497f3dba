import { describe, expect, it } from 'vitest';
import { measureGrowth } from '#infra/verify/harness/figures/growth.ts';
import { redactKeys, redactText } from './redact.ts';

it('masks only keys in identifiers', () => {
  expect(redactKeys('gw_abcdefghijklmnopqrstuvwxyz0123456789ABCD-4111111111111111')).toBe(
    'gw_[redacted]-4111111111111111',
  );
});

it.each(['a', 'a@', '1 ', 'a.', 'http://', '://', 'x:', '@a.'])(
  'takes linear time, also for many %j',
  (piece) => {
    expect(measureGrowth((size) => redactText(piece.repeat(size)), 64_000)).toBeLessThan(16);
  },
);

describe('redaction of text', () => {
  it.each([
    ['key gw_abcdefghijklmnopqrstuvwxyz0123456789ABCD here', 'key gw_[redacted] here'],
    ['secret whsec_QUJDREVGR0hJSktMTU5PUA== here', 'secret whsec_[redacted] here'],
    ['card 4111 1111 1111 1111 declined', 'card [number] declined'],
    ['"4111-1111-1111-1111"', '"[number]"'],
    ['phone +79161234567', 'phone [number]'],
    ['phone +7 (999) 123-45-67, call', 'phone [number], call'],
    ['phone 8 (999) 123-45-67', 'phone [number]'],
    ['phone +7.999.123.45.67', 'phone [number]'],
    ['card 4111.1111.1111.1111.', 'card [number].'],
    ['card 4111111111111111.', 'card [number].'],
    ['card 4111/1111/1111/1111 declined', 'card [number] declined'],
    ['card 4111\t1111\t1111\t1111', 'card [number]'],
    ['card ４１１１１１１１１１１１１１１１', 'card [number]'],
    ['phone ＋７９１６１２３４５６７', 'phone [number]'],
    ['card ٤١١١ ١١١١ ١١١١ ١١١١', 'card [number]'],
    ['card 4111\u00a01111\u20111111\u200b1111', 'card [number]'],
    ['card4111111111111111 declined', 'card[number] declined'],
    ['order-4111111111111111', 'order-[number]'],
    ['pan_4111_1111_1111_1111', 'pan_[number]'],
    ['PAN=4111111111111111', 'PAN=[number]'],
    ['карта4111111111111111', 'карта[number]'],
    ['tel+79161234567', 'tel[number]'],
    ['phone79161234567', 'phone[number]'],
    ['phone 8/999/123/45/67', 'phone [number]'],
    ['token adm_QUJDREVGR0hJSktM-TU5_PUA here', 'token adm_[redacted] here'],
    ['Authorization: Bearer abc.def-123456', 'Authorization: Bearer [redacted]'],
    [
      'at postgres://gateway:s3cret@db:5432/x failed',
      'at postgres://gateway:[redacted]@db:5432/x failed',
    ],
    [
      'at esdb+discover://u:p%40ss@cluster:2113?tls=false',
      'at esdb+discover://u:[redacted]@cluster:2113?tls=false',
    ],
    ['payer ivan.petrov+x@mail.example.ru asks', 'payer [e-mail] asks'],
    ['/v1/ivan%40mail.example', '/v1/[e-mail]'],
  ])('masks %s', (text, masked) => {
    expect(redactText(text)).toBe(masked);
  });

  it.each([
    '018f2f2e-5f67-8a1b-9c3d-0123456789ab',
    '12345678-1234-8123-a123-123456789012',
    '12345678-1234-8123-9123-123456789012',
    '2026-01-31T12:00:00.000Z',
    'at 2026-11-21 04:39 it began',
    'on 2026-11-21 04 h',
    '1234567890.50 RUB',
    '{"amount":"123456789012345.00"}',
    'revision 12345',
    '45678901-2345-4678-9123-123456789012',
    'e5f40eee-bd7c-4cdb-b443-81405125873b',
    'operation E5F40EEE-BD7C-4CDB-B443-81405125873B stays',
    'sha256 4111111111111111abcdef',
    '{"amount":"411111111111111.00"}',
    'order-20261122230252',
    'file:///app/node_modules/@hono/node-server/dist/index.mjs:983:9',
    'hono@4.13.19',
    'esdb://127.0.0.1:2113?tls=false',
    'http://localhost:8080/a@b',
  ])('leaves %s unchanged', (text) => {
    expect(redactText(text)).toBe(text);
  });
});
