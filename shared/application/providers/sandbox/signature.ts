import { hasSignature, signMessage, cachedSigner } from '#shared/platform/standard-webhooks.ts';
import type { SignedReport } from '#shared/application/personal-data/signed-report.ts';

/** The greatest difference of a callback's timestamp from the receiver's clock. */
const toleranceMs = 5 * 60_000;

/** The headers of a signed callback, in the style of Standard Webhooks. */
type SignatureHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

/** Signs `id.timestamp.body` with HMAC-SHA256. @throws when `secret` holds no key (`secretKey`) */
export function signCallback(
  secret: string,
  message: { id: string; body: Uint8Array; nowMs: number },
): SignatureHeaders {
  const timestamp = String(Math.floor(message.nowMs / 1000));
  const { id, body } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signMessage({ id, timestamp, body }, cachedSigner(secret).key),
  };
}

/**
 * Whether one of the `v1` signatures is right, and the timestamp within the tolerance of `nowMs`.
 */
export function isSignedWithSecret(
  secret: string,
  headers: Headers,
  { body, nowMs }: { body: Uint8Array; nowMs: number },
): boolean {
  const id = headers.get('webhook-id');
  const timestamp = headers.get('webhook-timestamp');
  if (id === null || timestamp === null || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs - Number(timestamp) * 1000) > toleranceMs) return false;
  const signatures = headers.get('webhook-signature') ?? '';
  return hasSignature(signatures, { id, timestamp, body }, cachedSigner(secret).key);
}

/** The stored part of a callback that `isSignedWithSecret` accepted. */
export function signedReport(
  headers: Headers,
  { body, secretHint }: { body: Uint8Array; secretHint: string },
): SignedReport {
  const header = (name: keyof SignatureHeaders) => headers.get(name) ?? '';
  return {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signature: header('webhook-signature'),
    secretHint,
    body,
  };
}
