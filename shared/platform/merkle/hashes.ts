import { createHash, hash } from 'node:crypto';

/** The hashes of RFC 9162, section 2.1, with SHA-256. */

const leafPrefix = Buffer.of(0);

/** The root of a tree without leaves. */
export const emptyRoot: Buffer = hash('sha256', '', 'buffer');

/** The hash of a leaf's bytes; a text is hashed as UTF-8. */
export const leafHash = (bytes: string | Uint8Array): Buffer =>
  createHash('sha256').update(leafPrefix).update(bytes).digest();

/** One buffer for all calls: the hash is computed synchronously. */
const pair = Buffer.alloc(65);
pair[0] = 1;

export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  pair.set(left, 1);
  pair.set(right, 33);
  return hash('sha256', pair, 'buffer');
}
