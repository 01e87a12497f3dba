import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

// For merchants: this file needs nothing but Node.js. Copy it, or use any library for Standard
// Webhooks.

export type ReceivedWebhook = {
  /** A request's header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body exactly as received, best as bytes: parse it only after it is verified. */
  body: string | Uint8Array;
};

/** Why a webhook must not be trusted, and what to check. */
export type WebhookRefusal =
  /** It is not from the gateway, or a proxy dropped its headers. */
  | 'headers_missing'
  /** It was sent minutes ago, or your clock is off. */
  | 'timestamp_out_of_range'
  /** It was signed with another secret than yours: an old one, or another shop's. */
  | 'wrong_secret'
  /**
   * It was signed with your secret, but over another body, id or time: was it parsed and written
   * again?
   */
  | 'content_changed'
  /** One of the two; the sender gave no hint of the secret. */
  | 'signature_mismatch';

export type WebhookVerdict = { valid: true; id: string } | { valid: false; code: WebhookRefusal };

const defaultToleranceMs = 5 * 60_000;
const secretPrefix = 'whsec_';
/** The minimum that Standard Webhooks requires. */
const minKeyBytes = 24;

/**
 * Verifies a webhook before it is trusted (https://www.standardwebhooks.com): its time must be
 * near, and one of its signatures must be made with the shop's secret.
 * @throws when `secret` is not `whsec_` and 24 bytes or more in base64: that is a mistake in the
 * set-up, not in the webhook
 */
export function verifyWebhook(
  { header, body }: ReceivedWebhook,
  secret: string,
  options: { nowMs?: number; toleranceMs?: number } = {},
): WebhookVerdict {
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const signatures = header('webhook-signature');
  if (!id || !timestamp || !signatures) return { valid: false, code: 'headers_missing' };

  const { nowMs = Date.now(), toleranceMs = defaultToleranceMs } = options;
  const timestampS = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(timestampS * 1000 - nowMs) <= toleranceMs)) {
    return { valid: false, code: 'timestamp_out_of_range' };
  }

  const expected = webhookSignature({ id, timestampS, body }, secret);
  const matches = signatures
    .split(' ', 10)
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  if (matches) return { valid: true, id };

  // Only for the error text: a forged webhook may have a forged hint as well.
  const hints = header('webhook-secret-hint')?.split(' ', 10);
  if (!hints) return { valid: false, code: 'signature_mismatch' };
  return {
    valid: false,
    code: hints.includes(secretHint(secret)) ? 'content_changed' : 'wrong_secret',
  };
}

/**
 * HMAC-SHA256 of `<id>.<timestamp>.<body>` under a secret. @throws if the secret is invalid; the
 * error does not reveal it
 */
export function webhookSignature(
  { id, timestampS, body }: { id: string; timestampS: number; body: string | Uint8Array },
  secret: string,
): Uint8Array {
  return createHmac('sha256', secretKey(secret))
    .update(`${id}.${timestampS}.`, 'utf8')
    .update(body)
    .digest();
}

/** Identifies a secret without revealing it: eight hexadecimal digits of a hash. */
export function secretHint(secret: string): string {
  return createHash('sha256').update(secretKey(secret)).digest('hex').slice(0, 8);
}

/**
 * The key in a secret. Node skips characters that are not base64, and an empty key signs anything,
 * so a secret must encode back to itself. @throws if it is invalid; the error does not reveal it
 */
export function secretKey(secret: string): Uint8Array {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : '';
  const key = Buffer.from(text, 'base64');
  if (key.length < minKeyBytes || key.toString('base64') !== text)
    throw new Error(`a webhook secret must be whsec_ and at least ${minKeyBytes} bytes in base64`);
  return key;
}
