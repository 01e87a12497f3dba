import { z } from 'zod';
import { decoderOf } from '../decode.ts';

/**
 * When an API key was last used, one stream a key, of which only the newest event is kept. Neither
 * money nor any answer depends on it.
 */
export const keyUseEventSchemas = {
  ApiKeyUsed: z.object({ key_id: z.string(), used_at: z.iso.datetime() }),
} as const;

export const keyUseStream = (keyId: string): string => `api-key-use-${keyId}`;

export const decodeKeyUseEvent = decoderOf(keyUseEventSchemas, 'key use');
