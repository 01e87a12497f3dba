import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';
import { signedAmountPattern } from '../ledger/events.ts';

/**
 * An operator's correction: a short stream each, named after its shop and `adjustment_id`. The
 * first event claims the id for all currencies and for good; the ledger entry is posted after it.
 */
export const adjustmentEventSchemas = {
  AdjustmentRequested: z.object({
    shop_id: z.string(),
    adjustment_id: z.string(),
    currency: z.string(),
    amount: z.string().regex(signedAmountPattern),
    reason: z.string(),
  }),
  /** The entry is at this revision of the ledger. */
  AdjustmentPosted: z.object({ revision: z.int() }),
} as const;

export type AdjustmentEvent = EventOf<typeof adjustmentEventSchemas>;
export type AdjustmentRequest = Extract<AdjustmentEvent, { type: 'AdjustmentRequested' }>['data'];

export const adjustmentStreamPrefix = 'adjustment-';

export const decodeAdjustmentEvent = createDecoder(adjustmentEventSchemas, 'adjustment');
