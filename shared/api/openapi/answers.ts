import { z } from 'zod';
import { operationTypes } from '#shared/domain/operation-type.ts';
import { shownStatuses } from '#shared/domain/operation/state.ts';
import { currencies, methods } from '#shared/domain/methods/index.ts';
import { declineReasons } from '#shared/domain/operation/ends/decline-reason.ts';
import { manualCheckReasonSchema } from '#shared/domain/operation/events.ts';
import type { OperationView } from '#shared/domain/operation/view.ts';
import type { ReceiptEvidence } from '../bodies/receipt-evidence.ts';

/**
 * What the merchant API answers with. The tests hold real answers to these schemas, and clients
 * read them.
 */

export const amount = z
  .string()
  .regex(/^(0|[1-9]\d*)\.\d{2}$/)
  .meta({ examples: ['100.00'] });
export const signedAmount = z
  .string()
  .regex(/^-?(0|[1-9]\d*)\.\d{2}$/)
  .meta({ examples: ['-12.50'] });
export const currency = z.enum(currencies);
export const time = z.iso.datetime().meta({ examples: ['2026-01-31T12:00:00.000Z'] });

export const operationSchema = z.object({
  operation_id: z.guid().meta({ description: 'Issued by the gateway.' }),
  type: z.enum(operationTypes),
  status: z.enum(shownStatuses).meta({
    description:
      'The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation` and `manual_check` exist only for payments.',
  }),
  method: z.enum(Object.keys(methods) as [keyof typeof methods]),
  expected_amount: amount.meta({ description: 'The amount that was requested.' }),
  actual_amount: amount.meta({
    description: 'The money that has actually moved: `0.00` until then, whatever the status.',
  }),
  currency: currency.meta({ description: 'The currency of the request.' }),
  fx_source: z
    .string()
    .optional()
    .meta({ description: 'The source of the rate; only with auto-conversion.' }),
  fx_rate: z
    .string()
    .regex(/^\d+\.\d{6}$/)
    .optional()
    .meta({ description: 'The quoted rate; only with auto-conversion.', examples: ['0.012500'] }),
  recorded_currency: currency
    .optional()
    .meta({ description: 'The ledger’s currency; only at a terminal status with money.' }),
  recorded_amount: amount
    .optional()
    .meta({ description: '`actual_amount` times the rate; only at a terminal status with money.' }),
  settlement_amount: amount.optional().meta({
    description:
      'The change of the balance: the ledger amount less the commission for a payment, plus the commission for a payout. Expected before a terminal status, final after it.',
  }),
  settlement_currency: currency.optional().meta({ description: 'The ledger’s currency.' }),
  commission_amount: amount.optional(),
  external_confirmation: z
    .object({ required: z.boolean(), methods: z.array(z.enum(['receipt'])) })
    .optional()
    .meta({ description: 'The payer must confirm with a receipt: POST /v1/confirm_payment.' }),
  number: z.string().optional().meta({
    description:
      'Of a payment: the number that the payer must transfer to. Of a payout: its destination, a card number masked to its first six and last four digits. Absent on a cancelled payment, and once the client’s personal data was erased.',
  }),
  name: z
    .string()
    .optional()
    .meta({ description: 'The holder’s name; present only with `number`.' }),
  bankname: z.string().optional().meta({ description: 'The bank’s code.' }),
  bankname_details: z.string().optional().meta({ description: 'The bank’s display name.' }),
  transfer_purpose: z
    .string()
    .optional()
    .meta({
      description:
        'Of a payment whose provider matches transfers by their purpose: exactly what the payer must write as the purpose of the transfer.',
      examples: ['GWK7QW3M9PXTRA0'],
    }),
  expires_at: time
    .optional()
    .meta({ description: 'When the requisites stop being payable, if the provider reports it.' }),
  manual_check_reason: manualCheckReasonSchema.optional().meta({
    description:
      'Only with `manual_check`. `not_terminal`: the transfer is still in progress or the file is not a PDF; this does not indicate fraud.',
  }),
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description:
        'As the create had it; absent where it had none, and once the client’s personal data was erased.',
      examples: [{ 'order.id': '1042' }],
    }),
  decline_reason: z.enum(declineReasons).optional().meta({
    description:
      'Only with `declined`. Each reason has a page that says what to do: `/docs/decline-reasons/<reason with hyphens>`.',
  }),
} satisfies Record<keyof OperationView, z.ZodType>);

/** What a merchant finds its operation by. */
export const identifiers = {
  merchant_operation_id: z.string().meta({ description: 'As the create sent it.' }),
  client_id: z.string().meta({ description: 'As the create sent it.' }),
  created_at: time.meta({ description: 'When the create was admitted.' }),
};

/** Present once money was returned. */
const returnedAmount = {
  returned_amount: amount.optional().meta({
    description:
      'All that went back of the operation’s money: a payment that was charged back, a payout that was returned. Absent before. What went back after the terminal status changes no other field.',
  }),
};

export const operationListSchema = z.object({
  operations: z
    .array(
      operationSchema
        .omit({
          number: true,
          name: true,
          bankname: true,
          bankname_details: true,
          transfer_purpose: true,
        })
        .extend({ ...identifiers, ...returnedAmount }),
    )
    .meta({ description: 'Newest first.' }),
  next_cursor: z.string().nullable().meta({
    description: 'The `cursor` of the next page, with the same filters; null at the end.',
  }),
  as_of: time.meta({
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

export const operationStateSchema = operationSchema.extend({
  ...identifiers,
  ...returnedAmount,
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
        completed_at: time,
        receipt_url: z.url().nullable().meta({
          description:
            'A download link that needs no API key and is valid for 15 minutes; null without a file.',
        }),
      }),
    )
    .meta({ description: 'One item for each transfer, sorted by `completed_at`, then `id`.' }),
} satisfies Record<
  keyof ReceiptEvidence | keyof typeof identifiers | 'returned_amount',
  z.ZodType
>);

export const cancellationSchema = z.object({
  outcome: z.enum(['cancelled', 'already_terminal']),
  operation: operationSchema.pick({ operation_id: true, type: true, status: true, metadata: true }),
});

export const balancesSchema = z.object({
  balances: z
    .array(
      z.object({
        currency,
        balance: signedAmount.meta({
          description:
            'Positive: the gateway owes the shop. The amounts reserved for payouts in progress are already deducted.',
        }),
        current_minus: amount.meta({
          description: 'The shop’s debt: `max(-(balance + reserved), 0)`.',
        }),
        reserved: amount.meta({ description: 'Reserved for payouts in progress.' }),
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
  detail: z.string().meta({ description: 'What is wrong with this request, for people.' }),
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
