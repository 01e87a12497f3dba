import { timingSafeEqual } from 'node:crypto';
import { signature } from './sign.ts';

export type ReceivedWebhook = {
  /** A request's header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body exactly as it came: parse it only after it was verified. */
  body: string;
};

export type WebhookVerdict =
  | { valid: true; id: string }
  | { valid: false; code: 'headers_missing' | 'timestamp_out_of_range' | 'signature_mismatch' };

const defaultToleranceMs = 5 * 60_000;

/**
 * What a merchant's endpoint does with a webhook before it believes it (Standard Webhooks): the time must be near, and
 * one of the signatures must be made with its secret.
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

  const expected = signature({ id, timestampS, body }, secret);
  const matches = signatures
    .split(' ', 10)
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  return matches ? { valid: true, id } : { valid: false, code: 'signature_mismatch' };
}
