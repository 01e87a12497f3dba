import { secretHint, webhookSignature } from '#clients/webhook-verifier/verify.ts';

/** A message as it goes out; the same body and id on every attempt, the time of the attempt itself. */
export type SignedContent = {
  id: string;
  /** Seconds since the epoch, of this attempt. */
  timestampS: number;
  body: string;
};

/**
 * The headers of a webhook (Standard Webhooks, contract §5): `webhook-signature` is
 * `v1,<base64 HMAC-SHA256 of "id.timestamp.body">`, one for each secret that is valid now, separated by spaces.
 * `webhook-secret-hint` tells a receiver who can't verify it whether the secret is the wrong one.
 */
export function signedHeaders(content: SignedContent, secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestampS),
    'webhook-signature': secrets
      .map((secret) => `v1,${webhookSignature(content, secret).toString('base64')}`)
      .join(' '),
    'webhook-secret-hint': secrets.map(secretHint).join(' '),
  };
}
