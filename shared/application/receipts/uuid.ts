import { hash } from 'node:crypto';

/** A UUIDv8 of the text's SHA-256: the same for the same text. */
export function hashToUuid(text: string): string {
  const digest = hash('sha256', text, 'hex');
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(18, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
