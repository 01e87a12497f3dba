import { z } from 'zod';
import { operationTypes, shownStatuses } from '#projections/operations/of-shop.ts';
import { currencies, methods } from '#shared/domain/methods/index.ts';
import { manualCheckReasonSchema } from '#shared/domain/operation/events.ts';
import type { OperationView } from '#shared/domain/operation/view.ts';
import type { ReceiptEvidence } from '../../endpoints/state/receipts.ts';

/**
 * What the merchant API answers with. The tests hold real answers to these schemas, and clients
 * read them.
 */

const amount = z
  .string()
  .regex(/^(0|[1-9]\d*)\.\d{2}$/)
  .meta({ examples: ['100.00'] });
const signedAmount = z
  .string()
  .regex(/^-?(0|[1-9]\d*)\.\d{2}$/)
  .meta({ examples: ['-12.50'] });
const currency = z.enum(currencies);
const time = z.iso.datetime().meta({ examples: ['2026-01-31T12:00:00.000Z'] });

export const operationSchema = z.object({
  operation_id: z.guid().meta({ description: 'Issued by the gateway.' }),
  type: z.enum(operationTypes),
  status: z.enum(shownStatuses).meta({
    description:
      'The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation` and `manual_check` are payments’ alone.',
  }),
  method: z.enum(Object.keys(methods) as [keyof typeof methods]),
  expected_amount: amount.meta({ description: 'The amount that was requested.' }),
  actual_amount: amount.meta({
    description: 'The money that has in fact moved: `0.00` until some has, whatever the status.',
  }),
  currency: currency.meta({ description: 'The currency of the request.' }),
  fx_source: z
    .string()
    .optional()
    .meta({ description: 'Where the rate is from; with auto-conversion only.' }),
  fx_rate: z
    .string()
    .regex(/^\d+\.\d{6}$/)
    .optional()
    .meta({ description: 'The quoted rate; with auto-conversion only.', examples: ['0.012500'] }),
  recorded_currency: currency
    .optional()
    .meta({ description: 'The ledger’s currency; at a terminal status with money only.' }),
  recorded_amount: amount
    .optional()
    .meta({ description: '`actual_amount` times the rate; at a terminal status with money only.' }),
  settlement_amount: amount.optional().meta({
    description:
      'What moves on the balance: the ledger amount less the commission for a payment, plus the commission for a payout. Expected before a terminal status, settled at it.',
  }),
  settlement_currency: currency.optional().meta({ description: 'The ledger’s currency.' }),
  commission_amount: amount.optional(),
  external_confirmation: z
    .object({ required: z.boolean(), methods: z.array(z.enum(['receipt'])) })
    .optional()
    .meta({ description: 'The payer must confirm with a receipt: POST /v1/confirm_payment.' }),
  number: z.string().optional().meta({
    description:
      'Where the payer must transfer to; a payout’s own destination, a card number masked to its first six and last four digits. Never on a cancelled payment, nor once the client’s personal data was erased.',
  }),
  name: z
    .string()
    .optional()
    .meta({ description: 'The holder’s name, as long as `number` is there.' }),
  bankname: z.string().optional().meta({ description: 'The bank’s code.' }),
  bankname_details: z.string().optional().meta({ description: 'The bank’s name for people.' }),
  expires_at: time
    .optional()
    .meta({ description: 'How long the requisites stay payable, where the provider says so.' }),
  manual_check_reason: manualCheckReasonSchema.optional().meta({
    description:
      'With `manual_check` only. `not_terminal`: the transfer is still under way or the file is no PDF; never a sign of fraud.',
  }),
} satisfies Record<keyof OperationView, z.ZodType>);

export const operationListSchema = z.object({
  operations: z
    .array(
      operationSchema
        .omit({ number: true, name: true, bankname: true, bankname_details: true })
        .extend({
          merchant_operation_id: z.string(),
          client_id: z.string(),
          created_at: time.meta({ description: 'When the create was admitted.' }),
        }),
    )
    .meta({ description: 'Newest first.' }),
  next_cursor: z.string().nullable().meta({
    description: 'The `cursor` of the next page, with the same filters; null at the end.',
  }),
  as_of: time.meta({
    description:
      'Nothing that happened before it is missing, on all pages of this list. It moves on while nothing happens.',
  }),
});

export const operationWithLinkSchema = operationSchema.extend({
  payment_url: z.url().nullable().meta({
    description:
      'The hosted page; null where it is not enabled for the shop, or the payment is cancelled.',
  }),
});

export const operationStateSchema = operationSchema.extend({
  receipt_evidence_status: z.enum(['not_ready', 'partial', 'complete', 'unavailable']).meta({
    description:
      '`not_ready`: not terminal yet. `complete`: the items are the provider’s own and add up exactly. `partial`: some are synthetic, without a file. `unavailable`: not available now; retry.',
  }),
  receipts: z
    .array(
      z.object({
        id: z.string(),
        amount: z
          .number()
          .meta({ description: 'A JSON number; its decimal text is exact.', examples: [60.5] }),
        completed_at: time,
        receipt_url: z.url().nullable().meta({
          description: 'A download link for 15 minutes that needs no key; null without a file.',
        }),
      }),
    )
    .meta({ description: 'One item for each transfer, sorted by `completed_at`, then `id`.' }),
} satisfies Record<keyof ReceiptEvidence, z.ZodType>);

export const cancellationSchema = z.object({
  outcome: z.enum(['cancelled', 'already_terminal']),
  operation: operationSchema.pick({ operation_id: true, type: true, status: true }),
});

export const balancesSchema = z.object({
  balances: z
    .array(
      z.object({
        currency,
        balance: signedAmount.meta({
          description:
            'Positive: the gateway owes the shop. The reserves of payouts under way are taken off already.',
        }),
        current_minus: amount.meta({
          description: 'The shop’s debt: `max(-(balance + reserved), 0)`.',
        }),
        reserved: amount.meta({ description: 'Held for payouts under way.' }),
      }),
    )
    .meta({ description: 'One row for every currency, in alphabetical order.' }),
});

export const problemSchema = z.looseObject({
  type: z.url().meta({ description: 'Names the kind of problem.' }),
  title: z.string(),
  status: z.int().min(400).max(599),
  code: z
    .string()
    .meta({ description: 'Stable, for programs; each endpoint lists those that it has.' }),
  detail: z.string().meta({ description: 'What is wrong with this request, for people.' }),
  message: z.string().meta({ description: 'The same text as `detail`.' }),
  instance: z.string().meta({ description: 'The path that was asked for.' }),
  request_id: z.string(),
  retryable: z.boolean().meta({ description: 'The same request may succeed later.' }),
  errors: z
    .array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))
    .optional()
    .meta({
      description:
        'Every invalid field: where it stands (RFC 6901; empty: the whole body) and why.',
    }),
  operation_id: z
    .guid()
    .optional()
    .meta({ description: 'Of the declined operation, with status 422.' }),
});
