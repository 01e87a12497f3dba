import { hash, randomBytes } from 'node:crypto';

/** Credentials and signing secrets: how each is created, and what is stored of it. */

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `gw_` and 40 random base62 characters: about 238 bits. */
export function newApiKey(): string {
  return `gw_${randomBase62(40)}`;
}

/** What is stored of an API key. */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

/**
 * `adm_` and 40 random base62 characters: as strong as an API key, and not to be confused with one.
 */
export function newAdminToken(): string {
  return `adm_${randomBase62(40)}`;
}

/** Whether a text can be a token that `newAdminToken` made: any other text needs no look-up. */
export function isAdminToken(text: string): boolean {
  return /^adm_[0-9A-Za-z]{40}$/.test(text);
}

/** What is stored of an admin token. */
export function hashAdminToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The secret in a sign-in link to the portal: `mbr_` and 40 random base62 characters. */
export function newMemberLink(): string {
  return `mbr_${randomBase62(40)}`;
}

/** What is stored of such a link. */
export function hashMemberLink(link: string): string {
  return hash('sha256', link, 'hex');
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: with larger values the first characters would be
    // more frequent.
    for (const byte of randomBytes(64))
      if (byte < 248 && text.length < length) text += base62[byte % 62];
  }
  return text;
}

/** A Standard Webhooks secret: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
