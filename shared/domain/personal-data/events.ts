import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/**
 * The key that encrypts a client's personal data, one stream a key, `personal-key-<key_id>`. The
 * stream is deleted for good to erase the data (docs/operators/personal-data.md), so it has nothing
 * else that must be retained.
 */
export const personalKeyEventSchemas = {
  PersonalKeyCreated: z.object({
    shop_id: z.string(),
    key_id: z.string(),
    /** The master key that wraps it. */
    master_key_id: z.string(),
    /** The key, encrypted by the master key. */
    wrapped: z.string(),
  }),
  /** Nothing more is encrypted with it: an erasure has begun. */
  PersonalKeyRetired: z.object({ key_id: z.string() }),
} as const;

export type PersonalKeyCreated = z.infer<typeof personalKeyEventSchemas.PersonalKeyCreated>;

export const personalKeyPrefix = 'personal-key-';
export const personalKeyStream = (keyId: string): string => `${personalKeyPrefix}${keyId}`;

export const decodePersonalKeyEvent = createDecoder(personalKeyEventSchemas, 'personal key');

/**
 * An operator's erasure of what is encrypted with a key, one stream a key,
 * `personal-erasure-<key_id>`. One that was not finished is finished later by a sweeper. It
 * outlives the key, and has no personal data.
 */
export const erasureEventSchemas = {
  PersonalDataErasureRequested: z.object({
    shop_id: z.string(),
    /** The merchant's own name for the client. */
    client_id: z.string(),
    key_id: z.string(),
  }),
  /** The key was destroyed, and the files were deleted. */
  PersonalDataErased: z.object({
    /** How many operations the client had. */
    operations: z.int(),
    /**
     * Those of them whose data is in plain text because they are older than the keys: it stays in
     * the log.
     */
    in_clear: z.int(),
    /** The payer's receipts of these operations; all are deleted. */
    receipt_files: z.int(),
  }),
} as const;

type ErasureEvent = EventOf<typeof erasureEventSchemas>;
export type ErasureRequest = Extract<
  ErasureEvent,
  { type: 'PersonalDataErasureRequested' }
>['data'];
export type ErasureRecord = Extract<ErasureEvent, { type: 'PersonalDataErased' }>['data'];

export const erasurePrefix = 'personal-erasure-';
export const erasureStream = (keyId: string): string => `${erasurePrefix}${keyId}`;

export const decodeErasureEvent = createDecoder(erasureEventSchemas, 'erasure');
