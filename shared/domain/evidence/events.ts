import { z } from 'zod';
import { createDecoder, type EventOf } from '../decode.ts';

/**
 * The providers' evidence for the money of an operation that has ended (R10.5), one stream an
 * operation, `receipts-<operation_id>`, with one event: it is fetched once, and then never changes.
 */

const evidenceItemSchema = z.object({
  /** A UUID: the merchant's id of the item. */
  receipt_id: z.string(),
  leg_id: z.string(),
  attempt: z.int(),
  provider: z.string(),
  amount: z.string(),
  completed_at: z.iso.datetime(),
  /** The provider has a file that shows it. */
  file: z.boolean(),
  /** The gateway made it up from the amount: no transfer is known. */
  synthetic: z.boolean(),
});
/** One physical contribution to an operation. */
export type EvidenceItem = z.infer<typeof evidenceItemSchema>;

export const evidenceEventSchemas = {
  EvidenceMaterialised: z.object({
    operation_id: z.string(),
    shop_id: z.string(),
    /** `partial`: at least one item is synthetic. */
    status: z.enum(['complete', 'partial']),
    items: z.array(evidenceItemSchema),
  }),
} as const;

export type EvidenceEvent = EventOf<typeof evidenceEventSchemas>;
export type Evidence = EvidenceEvent['data'];

export const evidenceStream = (operationId: string): string => `receipts-${operationId}`;

export const decodeEvidenceEvent = createDecoder(evidenceEventSchemas, 'evidence');
