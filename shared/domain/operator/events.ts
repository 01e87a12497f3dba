import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/** Who may use the admin API (R16.3), all in the one stream `operators`. */
export const operatorsStream = 'operators';

/** `admin` does everything, `operator` handles operations and messages, `auditor` reads. */
export const roles = ['admin', 'operator', 'auditor'] as const;
export type Role = (typeof roles)[number];

export const operatorEventSchemas = {
  /** Only the token's hash is stored; `hint` is its last four characters. */
  AdminTokenIssued: z.object({
    token_id: z.string(),
    token_hash: z.string(),
    name: z.string(),
    role: z.enum(roles),
    hint: z.string(),
    expires_at: z.iso.datetime().optional(),
  }),
  AdminTokenRevoked: z.object({ token_id: z.string() }),
} as const;

export type OperatorEvent = EventOf<typeof operatorEventSchemas>;

export const decodeOperatorEvent = createDecoder(operatorEventSchemas, 'operator');
