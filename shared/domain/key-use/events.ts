import { z } from 'zod';
import { createDecoder } from '../decode.ts';

/**
 * When an API key was last used, one stream per key; only the newest event is retained. Neither
 * money nor any answer depends on it.
 */
export const keyUseEventSchemas = {
  ApiKeyUsed: z.object({ key_id: z.string(), used_at: z.iso.datetime() }),
} as const;

export const keyUsePrefix = 'api-key-use-';
export const keyUseStream = (keyId: string): string => `${keyUsePrefix}${keyId}`;

export const decodeKeyUseEvent = createDecoder(keyUseEventSchemas, 'key use');
