import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '#clients/webhook-verifier/verify.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { signedHeaders } from './sign.ts';

// The vector that the Standard Webhooks libraries are tested with.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const content = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampS: 1_614_265_330,
  body: '{"test": 2432232314}',
};

describe('webhook headers', () => {
  it('match the test vector of Standard Webhooks (R14.4)', () => {
    expect(signedHeaders(content, [secret])).toEqual({
      'webhook-id': content.id,
      'webhook-timestamp': String(content.timestampS),
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'webhook-secret-hint': expect.stringMatching(/^[0-9a-f]{8}$/),
    });
  });

  it('contain a signature per secret during a rotation; either verifies (R14.4)', () => {
    const next = newWebhookSecret();
    const headers = signedHeaders(content, [next, secret]);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secretInUse of [secret, next]) {
      const verdict = verifyWebhook(
        { header: (name) => headers[name], body: content.body },
        secretInUse,
        {
          nowMs: content.timestampS * 1000,
        },
      );
      expect(verdict).toEqual({ valid: true, id: content.id });
    }
  });

  it('require a secret of the documented format, and never reveal it', () => {
    expect(() => signedHeaders(content, ['MfKQ9r8GKYqr'])).toThrow(/whsec_(?!.*MfKQ)/);
    expect(() => signedHeaders(content, ['whsec_'])).toThrow(/base64/);
  });
});
