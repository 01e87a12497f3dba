import { z } from 'zod';
import { decoderOf, type EventOf } from '../decode.ts';

/**
 * The key that a client's personal data is sealed with, one stream a key, `personal-key-<key_id>`. The stream is deleted
 * for good to erase the data (docs/operators/personal-data.md): nothing else that the log must keep stands in it.
 */
export const personalKeyEventSchemas = {
  PersonalKeyCreated: z.object({
    shop_id: z.string(),
    key_id: z.string(),
    /** By which master key it is wrapped. */
    master_key_id: z.string(),
    /** The key, encrypted by the master key. */
    wrapped: z.string(),
  }),
  /** Nothing more is sealed with it: an erasure has begun. */
  PersonalKeyRetired: z.object({ key_id: z.string() }),
} as const;

export type PersonalKeyCreated = z.infer<typeof personalKeyEventSchemas.PersonalKeyCreated>;
export type PersonalKeyEvent = EventOf<typeof personalKeyEventSchemas>;

export const personalKeyPrefix = 'personal-key-';
export const personalKeyStream = (keyId: string): string => `${personalKeyPrefix}${keyId}`;

export const decodePersonalKeyEvent = decoderOf(personalKeyEventSchemas, 'personal key');

/**
 * An operator's erasure of what is sealed with a key, one stream a key, `personal-erasure-<key_id>`: begun and not ended it
 * is finished by whoever finds it. It outlives the key, and holds nothing that is personal.
 */
export const erasureEventSchemas = {
  PersonalDataErasureRequested: z.object({
    shop_id: z.string(),
    /** The merchant's own name for the client. */
    client_id: z.string(),
    key_id: z.string(),
  }),
  /** The key is destroyed, and the files are deleted. */
  PersonalDataErased: z.object({
    /** The client's operations that there were. */
    operations: z.int(),
    /** Of them, those whose data was written in clear, before there were keys: the log keeps that. */
    in_clear: z.int(),
    /** The payer's receipts of these operations; all are deleted. */
    receipt_files: z.int(),
  }),
} as const;

export type ErasureEvent = EventOf<typeof erasureEventSchemas>;
export type ErasureRequest = Extract<ErasureEvent, { type: 'PersonalDataErasureRequested' }>['data'];
export type Erased = Extract<ErasureEvent, { type: 'PersonalDataErased' }>['data'];

export const erasurePrefix = 'personal-erasure-';
export const erasureStream = (keyId: string): string => `${erasurePrefix}${keyId}`;

export const decodeErasureEvent = decoderOf(erasureEventSchemas, 'erasure');
