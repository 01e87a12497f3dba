import { z } from 'zod';
import { secretKey } from '#shared/platform/standard-webhooks.ts';

/** A signing secret: `whsec_` and a key in base64. */
export const signingSecret = z.string().refine((text) => {
  try {
    return secretKey(text).length > 0;
  } catch {
    return false;
  }
}, 'must be whsec_ and at least 24 bytes in base64, such as "openssl rand -base64 32" prints');
