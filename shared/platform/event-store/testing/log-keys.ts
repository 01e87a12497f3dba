import { commonName } from '../signature.ts';

const key = Buffer.alloc(32, 'of the tests').toString('base64url');

/** LOG_SIGNING_KEYS with a key of this service, and the one that all share. */
export const testKeyPair = (service: string): string => `${service}=${key},${commonName}=${key}`;
