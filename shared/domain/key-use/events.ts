import { z } from 'zod';
import { decoderOf } from '../decode.ts';

/**
 * When an API key was used last, one stream a key, of which only the newest event is kept: no history, and nothing that
 * money or an answer rests on.
 */
export const keyUseEventSchemas = {
  ApiKeyUsed: z.object({ key_id: z.string(), used_at: z.iso.datetime() }),
} as const;

export const keyUseStream = (keyId: string): string => `api-key-use-${keyId}`;

export const decodeKeyUseEvent = decoderOf(keyUseEventSchemas, 'key use');
