import { createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '#shared/platform/ids.ts';

/** The chain hash of the log at a position, signed by its auditor. */
const checkpointSchema = z.strictObject({
  version: z.literal(1),
  /** The position of the newest event that it covers. */
  position: z.string().regex(/^\d{1,15}$/),
  /** How many events the chain has up to there. */
  events: z.int().min(0),
  /** The chain's hash there, SHA-256 in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** The position of the first event whose signature was verified; absent if none was. */
  signed_from: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  created_at: z.iso.datetime(),
  /** Ed25519, PEM. */
  public_key: z.string(),
  /** Ed25519 over the canonical JSON of all fields above, base64. */
  signature: z.string(),
});
export type ChainCheckpoint = z.infer<typeof checkpointSchema>;

type CheckpointContent = {
  position: number;
  events: number;
  hash: string;
  signedFrom?: number | undefined;
  createdAt: Date;
};

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const signed = (content: Omit<ChainCheckpoint, 'signature'>): Buffer =>
  Buffer.from(canonicalJson(content), 'utf8');

export function signCheckpoint(
  { position, events, hash: last, signedFrom, createdAt }: CheckpointContent,
  key: KeyObject,
): ChainCheckpoint {
  const content = {
    version: 1,
    position: String(position),
    events,
    hash: last,
    ...(signedFrom !== undefined && { signed_from: String(signedFrom) }),
    created_at: createdAt.toISOString(),
    public_key: pem(createPublicKey(key)),
  } as const;
  return { ...content, signature: sign(null, signed(content), key).toString('base64') };
}

/** @throws an Error with a one-line message when the text is no checkpoint */
export function parseCheckpoint(text: string): ChainCheckpoint {
  try {
    return checkpointSchema.parse(JSON.parse(text));
  } catch {
    throw new Error('it is not a checkpoint of the audit');
  }
}

/**
 * Why a checkpoint's signature is not valid; undefined if it is. `trusted`: the key that the
 * auditor trusts. Without one, a signature only proves that the file was not changed since.
 */
export function whyNotSigned(
  checkpoint: ChainCheckpoint,
  trusted: KeyObject | undefined,
): string | undefined {
  const { signature, ...content } = checkpoint;
  let own: KeyObject;
  try {
    own = createPublicKey(checkpoint.public_key);
  } catch {
    return 'it names no public key';
  }
  if (own.asymmetricKeyType !== 'ed25519')
    return `it is signed with ${own.asymmetricKeyType}, not Ed25519`;
  if (trusted && pem(trusted) !== pem(own))
    return `it is signed with the key ${fingerprint(own)}, not with ${fingerprint(trusted)}`;
  if (!verify(null, signed(content), own, Buffer.from(signature, 'base64')))
    return 'its signature does not match its content';
  return undefined;
}

/** SHA-256 of the key's bytes, for people to compare. */
export function fingerprint(key: KeyObject): string {
  const bytes = key.type === 'private' ? createPublicKey(key) : key;
  return `SHA256:${hash('sha256', bytes.export({ type: 'spki', format: 'der' }), 'base64').replace(/=+$/, '')}`;
}
