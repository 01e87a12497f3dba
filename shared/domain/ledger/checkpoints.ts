import { z } from 'zod';
import { decoderOf, type EventOf } from '../decode.ts';

/**
 * Each shop's ledger entries are the leaves of a Merkle tree (RFC 9162), and its root is signed as
 * the tree grows. The log has the signed roots, stream `checkpoints-<shop_id>`, so that no restart
 * can sign another history.
 */

/** A hash, a key or a signature in base64url. */
const base64url = z.string().regex(/^[\w-]+$/);

export const checkpointEventSchemas = {
  CheckpointSigned: z.object({
    shop_id: z.string(),
    /** The number of the tree's entries, from the shop's first one. */
    tree_size: z.int().min(0),
    root: base64url,
    signed_at: z.iso.datetime(),
    key_id: z.string(),
    /** Ed25519 over `signedText`. */
    signature: base64url,
  }),
} as const;

/** A signed root as it is stored; not a follower's position in the log. */
export type SignedCheckpoint = EventOf<typeof checkpointEventSchemas>['data'];

export const checkpointStreamPrefix = 'checkpoints-';
export const checkpointStream = (shopId: string): string => `${checkpointStreamPrefix}${shopId}`;
export const decodeCheckpointEvent = decoderOf(checkpointEventSchemas, 'checkpoint');

/** The signed text: the body of a C2SP tlog-checkpoint, with the root in standard base64. */
export const signedText = ({
  shopId,
  treeSize,
  root,
}: {
  shopId: string;
  treeSize: number;
  root: string;
}): string => `${shopId}\n${treeSize}\n${root}\n`;

export const checkpointKeyEventSchemas = {
  /** The gateway signs with this key from now on. */
  CheckpointKeyAdded: z.object({
    key_id: z.string(),
    /** The public key. */
    x: base64url,
    valid_from: z.iso.datetime(),
  }),
  /** It never signs with this key again. */
  CheckpointKeyRetired: z.object({ key_id: z.string(), valid_until: z.iso.datetime() }),
} as const;

type CheckpointKeyEvent = EventOf<typeof checkpointKeyEventSchemas>;

/** All keys that checkpoints were ever signed with, in one stream. */
export const checkpointKeyStream = 'checkpoint-keys';
export const decodeCheckpointKeyEvent = decoderOf(checkpointKeyEventSchemas, 'checkpoint key');

type CheckpointKey = {
  keyId: string;
  x: string;
  validFrom: string;
  /** Undefined for the key that signs now. */
  validUntil?: string;
};

/** The keys in the order in which they were added. */
export function foldCheckpointKeys(events: readonly CheckpointKeyEvent[]): CheckpointKey[] {
  const keys = new Map<string, CheckpointKey>();
  for (const { type, data } of events) {
    const { key_id: keyId } = data;
    if (type === 'CheckpointKeyAdded')
      keys.set(keyId, { keyId, x: data.x, validFrom: data.valid_from });
    const key = keys.get(keyId);
    if (type === 'CheckpointKeyRetired' && key)
      keys.set(keyId, { ...key, validUntil: data.valid_until });
  }
  return [...keys.values()];
}

/**
 * Adds a key as the signing key and retires the previous one; no event if it is that already. A
 * retired key can't sign again, because the log has one period of validity for each key.
 */
export function decideSigningKey(
  keys: readonly CheckpointKey[],
  { keyId, x, at }: { keyId: string; x: string; at: string },
): { events: CheckpointKeyEvent[] } | { refusal: 'key_ended' } {
  const same = keys.find((key) => key.keyId === keyId);
  if (same?.validUntil !== undefined) return { refusal: 'key_ended' };
  if (same) return { events: [] };
  const current = keys.filter(({ validUntil }) => validUntil === undefined);
  return {
    events: [
      ...current.map((key): CheckpointKeyEvent => ({
        type: 'CheckpointKeyRetired',
        data: { key_id: key.keyId, valid_until: at },
      })),
      { type: 'CheckpointKeyAdded', data: { key_id: keyId, x, valid_from: at } },
    ],
  };
}
