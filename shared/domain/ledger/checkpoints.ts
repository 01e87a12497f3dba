import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/**
 * The entries of each ledger are the leaves of a Merkle tree (RFC 9162), and its root is signed as
 * the tree grows. The log has the signed roots, stream `checkpoints-<shop_id>-<currency>`, so that
 * no restart can sign another history.
 */

/** A hash, a key or a signature in base64url. */
const base64url = z.string().regex(/^[\w-]+$/);

export const checkpointEventSchemas = {
  CheckpointSigned: z.object({
    shop_id: z.string(),
    /** Null in version 1: the tree of the shop's entries in all currencies. */
    currency: z.string().nullable(),
    /** The number of the tree's entries, from the ledger's first one. */
    tree_size: z.int().min(0),
    root: base64url,
    /** The tree has every entry from before this time, and no later one; of version 1 only when. */
    signed_at: z.iso.datetime(),
    key_id: z.string(),
    /** Ed25519 over `signedText`. */
    signature: base64url,
  }),
} as const;

export const checkpointRequestEventSchemas = {
  /** A statement needs a checkpoint that covers this time, and no new entry brings one about. */
  CheckpointRequested: z.object({
    shop_id: z.string(),
    currency: z.string(),
    covers: z.iso.datetime(),
  }),
} as const;

/** A signed root as it is stored; not a follower's position in the log. */
export type SignedCheckpoint = EventOf<typeof checkpointEventSchemas>['data'];

/** That of a ledger: every one since version 2. */
export type LedgerCheckpoint = SignedCheckpoint & { currency: string };

export const isOfLedger = (checkpoint: SignedCheckpoint): checkpoint is LedgerCheckpoint =>
  checkpoint.currency !== null;

export const checkpointStreamPrefix = 'checkpoints-';

/** The stream of a ledger's checkpoints; without a currency, that of the shop's in version 1. */
export const checkpointStream = (shopId: string, currency: string | null): string =>
  `${checkpointStreamPrefix}${shopId}${currency === null ? '' : `-${currency}`}`;
export const decodeCheckpointEvent = createDecoder(checkpointEventSchemas, 'checkpoint');

export const checkpointRequestPrefix = 'checkpoint-requests-';
export const checkpointRequestStream = (shopId: string, currency: string): string =>
  `${checkpointRequestPrefix}${shopId}-${currency}`;
export const decodeCheckpointRequest = createDecoder(
  checkpointRequestEventSchemas,
  'checkpoint request',
);

/** The name of a ledger's tree. */
export const treeOrigin = (shopId: string, currency: string): string => `${shopId}/${currency}`;

/**
 * The signed text: the body of a C2SP tlog-checkpoint, with the root in standard base64 and the
 * time as its extension line. In version 1 the origin is the shop, and there is no time.
 */
export const signedText = ({
  origin,
  treeSize,
  root,
  at,
}: {
  origin: string;
  treeSize: number;
  root: string;
  at?: string | undefined;
}): string => `${origin}\n${treeSize}\n${root}\n${at === undefined ? '' : `${at}\n`}`;

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
export const decodeCheckpointKeyEvent = createDecoder(checkpointKeyEventSchemas, 'checkpoint key');

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
