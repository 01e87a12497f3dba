import { createHmac } from 'node:crypto';

/** A message as it goes out; the same body and id on every attempt, the time of the attempt itself. */
export type SignedContent = {
  id: string;
  /** Seconds since the epoch, of this attempt. */
  timestampS: number;
  body: string;
};

const prefix = 'whsec_';

/**
 * The value of `webhook-signature` (Standard Webhooks, contract §5): `v1,<base64 HMAC-SHA256 of "id.timestamp.body">`,
 * one for each secret that is valid now, separated by spaces.
 */
export function signWebhook(content: SignedContent, secrets: readonly string[]): string {
  return secrets.map((secret) => `v1,${signature(content, secret).toString('base64')}`).join(' ');
}

/** The raw HMAC under a `whsec_…` secret. @throws when it is no such secret; the text does not show it. */
export function signature({ id, timestampS, body }: SignedContent, secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : '', 'base64');
  if (key.length === 0) throw new Error('a webhook secret must be whsec_ and base64');
  return createHmac('sha256', key).update(`${id}.${timestampS}.${body}`, 'utf8').digest();
}
