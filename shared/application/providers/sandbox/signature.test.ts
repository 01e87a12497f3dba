import { describe, expect, it } from 'vitest';
import { isSignedWithSecret, signCallback } from './signature.ts';

const secret = 'whsec_YS1zZWNyZXQtb2YtdGhlLWNhbGxiYWNrcw==';
const nowMs = Date.parse('2026-01-31T12:00:00.000Z');
const body = Buffer.from('{"amount":"1.00"}');
const headers = (change: Record<string, string> = {}) =>
  new Headers({ ...signCallback(secret, { id: 'op.1.v2', body, nowMs }), ...change });

describe('a callback signature', () => {
  it('matches the example of Standard Webhooks', () => {
    // The example of the specification's reference implementations.
    const signed = signCallback('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: Buffer.from('{"test": 2432232314}'),
      nowMs: 1_614_265_330_000,
    });
    expect(signed['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is valid only for its id, time, body and secret (R13.5)', () => {
    expect(isSignedWithSecret(secret, headers(), { body, nowMs })).toBe(true);
    expect(
      isSignedWithSecret('whsec_YW5vdGhlci1zZWNyZXQtZW50aXJlbHktMQ==', headers(), { body, nowMs }),
    ).toBe(false);
    expect(
      isSignedWithSecret(secret, headers(), { body: Buffer.from('{"amount":"9.00"}'), nowMs }),
    ).toBe(false);
    expect(isSignedWithSecret(secret, headers({ 'webhook-id': 'op.1.v3' }), { body, nowMs })).toBe(
      false,
    );
    expect(
      isSignedWithSecret(secret, headers({ 'webhook-timestamp': '1769860801' }), { body, nowMs }),
    ).toBe(false);
    expect(isSignedWithSecret(secret, new Headers(), { body, nowMs })).toBe(false);
    expect(
      isSignedWithSecret(secret, headers({ 'webhook-signature': 'v1,' }), { body, nowMs }),
    ).toBe(false);
  });

  it('may be one of several during a secret rotation', () => {
    const signature = headers().get('webhook-signature');
    const rotating = headers({ 'webhook-signature': `v1,AAAA v1a,x ${signature}` });
    expect(isSignedWithSecret(secret, rotating, { body, nowMs })).toBe(true);
  });

  it('is accepted within five minutes of its time in both directions (R13.5)', () => {
    for (const [offsetMs, accepted] of [
      [299_000, true],
      [-299_000, true],
      [301_000, false],
      [-301_000, false],
    ] as const)
      expect(isSignedWithSecret(secret, headers(), { body, nowMs: nowMs + offsetMs })).toBe(
        accepted,
      );
  });
});
