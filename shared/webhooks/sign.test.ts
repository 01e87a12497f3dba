import { describe, expect, it } from 'vitest';
import { newWebhookSecret } from '#shared/ids.ts';
import { signWebhook } from './sign.ts';
import { verifyWebhook } from './verify.ts';

// The vector that the Standard Webhooks libraries are tested with.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const content = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampS: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const vector = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

const received = (headers: Record<string, string>, body = content.body) => ({
  header: (name: string) => headers[name],
  body,
});
const headersOf = (signature: string) => ({
  'webhook-id': content.id,
  'webhook-timestamp': String(content.timestampS),
  'webhook-signature': signature,
});
const at = { nowMs: content.timestampS * 1000 };

describe('the signature of a webhook', () => {
  it('is the one of the Standard Webhooks test vector', () => {
    expect(signWebhook(content, [secret])).toBe(vector);
  });

  it('comes once for each secret while a rotated one overlaps, and either is enough', () => {
    const next = newWebhookSecret();
    const both = signWebhook(content, [next, secret]);
    expect(both.split(' ')).toHaveLength(2);
    for (const mine of [secret, next]) {
      expect(verifyWebhook(received(headersOf(both)), mine, at)).toEqual({ valid: true, id: content.id });
    }
  });

  it('does not hold for another body, id, time or secret', () => {
    const mismatch = { valid: false, code: 'signature_mismatch' };
    const headers = headersOf(vector);
    expect(verifyWebhook(received(headers, '{"test":2432232314}'), secret, at)).toEqual(mismatch);
    expect(verifyWebhook(received({ ...headers, 'webhook-id': 'msg_2' }), secret, at)).toEqual(mismatch);
    expect(verifyWebhook(received({ ...headers, 'webhook-timestamp': '1614265331' }), secret, at)).toEqual(
      mismatch,
    );
    expect(verifyWebhook(received(headers), newWebhookSecret(), at)).toEqual(mismatch);
    expect(verifyWebhook(received({ ...headers, 'webhook-signature': 'v2,AAAA v1,' }), secret, at)).toEqual(
      mismatch,
    );
  });

  it('is not looked at when headers are missing or the time is far', () => {
    expect(verifyWebhook(received({}), secret, at)).toEqual({ valid: false, code: 'headers_missing' });
    const late = { nowMs: at.nowMs + 301_000 };
    const far = { valid: false, code: 'timestamp_out_of_range' };
    expect(verifyWebhook(received(headersOf(vector)), secret, late)).toEqual(far);
    const odd = { ...headersOf(vector), 'webhook-timestamp': '1e9' };
    expect(verifyWebhook(received(odd), secret, at)).toEqual(far);
  });

  it('needs a secret of the documented form, and never shows it', () => {
    expect(() => signWebhook(content, ['MfKQ9r8GKYqr'])).toThrow(/whsec_(?!.*MfKQ)/);
    expect(() => signWebhook(content, ['whsec_'])).toThrow(/base64/);
  });
});
