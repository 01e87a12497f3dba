import { signMessage, cachedSigner } from '#shared/platform/standard-webhooks.ts';

/** A message as it is sent: the same body and id on every attempt, with the time of the attempt. */
type SignedContent = {
  id: string;
  /** Seconds since the epoch, of this attempt. */
  timestampS: number;
  body: string;
};

/**
 * The headers of a webhook (Standard Webhooks, R14.4): `webhook-signature` is `v1,<base64
 * HMAC-SHA256 of "id.timestamp.body">`, one for each secret that is valid now, separated by spaces.
 * With `webhook-secret-hint` a receiver that can't verify it sees whether it has the wrong secret.
 */
export function signedHeaders(
  { id, timestampS, body }: SignedContent,
  secrets: readonly string[],
): Record<string, string> {
  const message = { id, timestamp: String(timestampS), body };
  const all = secrets.map(cachedSigner);
  return {
    'webhook-id': id,
    'webhook-timestamp': message.timestamp,
    'webhook-signature': all.map(({ key }) => signMessage(message, key)).join(' '),
    'webhook-secret-hint': all.map(({ hint }) => hint).join(' '),
  };
}
