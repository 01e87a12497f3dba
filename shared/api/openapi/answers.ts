import { z } from 'zod';
import { fieldSchemas } from '#shared/domain/operation/fields/derive.ts';
import {
  amountSchema,
  currencySchema,
  timestampSchema,
} from '#shared/domain/operation/fields/schemas.ts';
import type { ReceiptEvidence } from '../bodies/receipt-evidence.ts';

/**
 * What the merchant API answers with. The tests hold real answers to these schemas, and clients
 * read them.
 */

export const signedAmount = z
  .string()
  .regex(/^-?(0|[1-9]\d*)\.\d{2}$/)
  .meta({ examples: ['-12.50'] });
export const operationSchema = z.object(fieldSchemas('create'));

export const operationListSchema = z.object({
  operations: z.array(z.object(fieldSchemas('list'))).meta({ description: 'Newest first.' }),
  next_cursor: z.string().nullable().meta({
    description: 'The `cursor` of the next page, with the same filters; null at the end.',
  }),
  as_of: timestampSchema.meta({
    description:
      'The list contains everything that happened before this time, which is the same on all its pages. It advances even without new events.',
  }),
});

export const operationWithLinkSchema = operationSchema.extend({
  payment_url: z.url().nullable().meta({
    description:
      'The hosted page; null if it is not enabled for the shop, or the payment is cancelled.',
  }),
});

export const operationStateSchema = z.object({
  ...fieldSchemas('state'),
  receipt_evidence_status: z.enum(['not_ready', 'partial', 'complete', 'unavailable']).meta({
    description:
      '`not_ready`: no terminal status yet. `complete`: all items are from the provider and add up exactly. `partial`: some are synthetic, without a file. `unavailable`: not available at the moment; retry.',
  }),
  receipts: z
    .array(
      z.object({
        id: z.string(),
        amount: z
          .number()
          .meta({ description: 'A JSON number; its decimal text is exact.', examples: [60.5] }),
        completed_at: timestampSchema,
        receipt_url: z.url().nullable().meta({
          description:
            'A download link that needs no API key and is valid for 15 minutes; null without a file.',
        }),
      }),
    )
    .meta({ description: 'One item for each transfer, sorted by `completed_at`, then `id`.' }),
} satisfies Record<keyof ReceiptEvidence, z.ZodType>);

export const cancellationSchema = z.object({
  outcome: z.enum(['cancelled', 'already_terminal']),
  operation: operationSchema.pick({ operation_id: true, type: true, status: true, metadata: true }),
});

export const balancesSchema = z.object({
  balances: z
    .array(
      z.object({
        currency: currencySchema,
        balance: signedAmount.meta({
          description:
            'Positive: the gateway owes the shop. The amounts reserved for payouts in progress are already deducted.',
        }),
        current_minus: amountSchema.meta({
          description: 'The shop’s debt: `max(-(balance + reserved), 0)`.',
        }),
        reserved: amountSchema.meta({ description: 'Reserved for payouts in progress.' }),
      }),
    )
    .meta({ description: 'One row for every currency, in alphabetical order.' }),
});

export const problemSchema = z.looseObject({
  type: z.url().meta({
    description: 'Identifies the kind of problem, and is the URL of a page that explains it.',
  }),
  title: z.string(),
  status: z.int().min(400).max(599),
  code: z
    .string()
    .meta({ description: 'A stable code for programs; each endpoint lists its codes.' }),
  detail: z
    .string()
    .meta({ description: 'What to correct in this request, in a sentence for people.' }),
  message: z.string().meta({ description: 'The same text as `detail`.' }),
  instance: z.string().meta({ description: 'The path of the request.' }),
  request_id: z.string(),
  retryable: z.boolean().meta({ description: 'The same request may succeed later.' }),
  errors: z
    .array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))
    .optional()
    .meta({
      description:
        'Every invalid field, with its JSON pointer (RFC 6901; empty for the whole body) and the reason.',
    }),
  operation_id: z
    .guid()
    .optional()
    .meta({ description: 'The declined operation; only with status 422.' }),
});
