import { z } from 'zod';
import { exampleMethod, methods } from '../../methods/index.ts';
import { isZero } from '../../money.ts';
import { operationTypes } from '../../operation-type.ts';
import { declineReasons } from '../ends/decline-reason.ts';
import { manualCheckReasonSchema } from '../events.ts';
import { isTerminal, shownStatuses, type OperationStatus } from '../state.ts';
import type { FieldEntry } from './entry.ts';
import { amountSchema, currencySchema, timestampSchema } from './schemas.ts';
import type { Snapshot } from './snapshot.ts';

const isCancelled = ({ status }: Snapshot) => status === 'cancelled';

/** Only at a terminal status with money. */
const isRecorded = (operation: Snapshot) =>
  operation.recorded_amount != null && !isZero(operation.actual_amount);

/** Where a payment's money goes is not shown once it is cancelled (R5.13). */
const recipient = (operation: Snapshot): Snapshot['recipient'] =>
  operation.type === 'payment' && isCancelled(operation) ? {} : operation.recipient;

/**
 * The fields of the operation object, in the order of its JSON: every answer, list and webhook, and
 * their schemas, follow from it.
 */
export const operationFields = {
  operation_id: {
    schema: z.guid(),
    about: 'Issued by the gateway.',
    value: ({ operation_id: id }) => id,
    column: {
      type: 'uuid',
      comment: "The gateway's id; the log keeps the operation in stream operation-<operation_id>",
    },
    cell: 'own',
    page: {
      label: { ru: 'Номер операции', en: 'Operation ID' },
      kind: 'id',
      on: ['portal', 'console'],
    },
  },
  type: {
    schema: z.enum(operationTypes),
    value: ({ type }) => type,
    column: { type: 'text not null', comment: 'payment (in) or payout (out)' },
    cell: 'own',
  },
  status: {
    schema: z.enum(shownStatuses),
    about:
      'The last five are terminal and never change. `expired`, `cancelled`, `awaiting_confirmation` and `manual_check` exist only for payments.',
    // No merchant receives the object of an operation that is still being created.
    value: ({ status }): OperationStatus => status as OperationStatus,
    column: {
      type: 'text not null',
      comment:
        'creating (no provider has accepted yet; a merchant is shown nothing), pending, awaiting_confirmation, manual_check, or for good: completed, partially_completed, declined, expired, cancelled',
    },
    cell: 'own',
  },
  method: {
    schema: z.enum(Object.keys(methods) as [keyof typeof methods]),
    value: ({ method }) => method,
    column: { type: 'text not null', comment: `Logical payment method, such as ${exampleMethod}` },
    cell: 'own',
    page: { label: { ru: 'Метод', en: 'Method' }, kind: 'code', on: ['portal', 'console'] },
  },
  expected_amount: {
    schema: amountSchema,
    about: 'The amount that was requested.',
    value: ({ expected_amount: expected }) => expected,
    column: { type: 'numeric(38,2) not null', comment: 'The requested amount' },
    cell: 'own',
  },
  actual_amount: {
    schema: amountSchema,
    about: 'The money that has actually moved: `0.00` until then, whatever the status.',
    value: ({ actual_amount: actual }) => actual,
    column: {
      type: 'numeric(38,2) not null',
      comment: 'Money that has actually moved so far',
    },
    cell: 'own',
  },
  currency: {
    schema: currencySchema,
    about: 'The currency of the request.',
    value: (operation) => operation.currency,
    column: { type: 'text not null', comment: 'Of expected_amount and actual_amount' },
    cell: 'own',
  },
  fx_source: {
    schema: z.string().optional(),
    about: 'The source of the rate; only with auto-conversion.',
    // After the end only with a rate: a route that was never quoted has none.
    value: ({ status, fx_source: source, fx_rate: rate }) =>
      rate != null || !isTerminal(status) ? (source ?? undefined) : undefined,
    column: {
      type: 'text',
      comment: 'Source of the rate, on a converting route',
    },
    cell: 'foreign',
  },
  fx_rate: {
    schema: z
      .string()
      .regex(/^\d+\.\d{6}$/)
      .optional()
      .meta({ examples: ['0.012500'] }),
    about: 'The quoted rate; only with auto-conversion.',
    value: ({ fx_rate: rate }) => rate ?? undefined,
    column: { type: 'numeric', comment: 'Units of settlement_currency for one of currency' },
    cell: 'own',
  },
  recorded_currency: {
    schema: currencySchema.optional(),
    about: 'The ledger’s currency; only at a terminal status with money.',
    value: (operation) =>
      isRecorded(operation) ? (operation.recorded_currency ?? undefined) : undefined,
    column: {
      type: 'text',
      comment: 'Ledger currency; only once the operation ended with money, as recorded_amount',
    },
    cell: 'own',
  },
  recorded_amount: {
    schema: amountSchema.optional(),
    about: '`actual_amount` times the rate; only at a terminal status with money.',
    value: (operation) =>
      isRecorded(operation) ? (operation.recorded_amount ?? undefined) : undefined,
    column: {
      type: 'numeric(38,2)',
      comment: 'actual_amount in the ledger currency: round(actual × rate)',
    },
    cell: 'own',
  },
  settlement_amount: {
    schema: amountSchema.optional(),
    about:
      'The change of the balance: the ledger amount less the commission for a payment, plus the commission for a payout. Expected before a terminal status, final after it.',
    value: ({ settlement_amount: settlement }) => settlement ?? undefined,
    column: {
      type: 'numeric(38,2)',
      comment:
        "What moves on the shop's balance: a payment's credit after commission, a payout's charge with it. Expected until the end, final from then on; 0 where it ended without money",
    },
    cell: 'own',
  },
  settlement_currency: {
    schema: currencySchema.optional(),
    about: 'The ledger’s currency.',
    value: (operation) => operation.settlement_currency,
    column: {
      type: 'text not null',
      comment: 'Currency of the figures on the balance',
    },
    cell: 'own',
  },
  commission_amount: {
    schema: amountSchema.optional(),
    value: ({ commission_amount: commission }) => commission ?? undefined,
    column: {
      type: 'numeric(38,2)',
      comment: 'Commission of the service; expected, then final',
    },
    cell: 'own',
  },
  external_confirmation: {
    schema: z.object({ required: z.boolean(), methods: z.array(z.enum(['receipt'])) }).optional(),
    about: 'The payer must confirm with a receipt: POST /v1/confirm_payment.',
    value: (operation) =>
      operation.confirmation_required === true && !isCancelled(operation)
        ? { required: true, methods: ['receipt'] }
        : undefined,
  },
  number: {
    schema: z.string().optional(),
    about:
      'Of a payment: the number that the payer must transfer to. Of a payout: its destination, a card number masked to its first six and last four digits. Absent on a cancelled payment, and once the client’s personal data was erased.',
    value: (operation) => recipient(operation).number,
    // Payment details are only in the API: a webhook passes through more systems (R14.2).
    notIn: ['list', 'webhook'],
    page: { label: { ru: 'Номер', en: 'Number' }, kind: 'code', on: ['portal'] },
  },
  name: {
    schema: z.string().optional(),
    about: 'The holder’s name; present only with `number`.',
    value: (operation) => recipient(operation).name,
    notIn: ['list', 'webhook'],
    page: { label: { ru: 'Получатель', en: 'Recipient' }, kind: 'text', on: ['portal'] },
  },
  bankname: {
    schema: z.string().optional(),
    about: 'The bank’s code.',
    value: (operation) => recipient(operation).bankname,
    notIn: ['list'],
    column: {
      type: 'text',
      comment:
        "Code of the bank that the money goes to: a payout's, a payment's as the provider gave it; null where none was named. By bank and day: gateway.conversion_by_bank",
    },
    cell: 'foreign',
  },
  bankname_details: {
    schema: z.string().optional(),
    about: 'The bank’s display name.',
    value: (operation) => recipient(operation).bankname_details,
    notIn: ['list'],
    column: { type: 'text', comment: "The bank's display name" },
    cell: 'foreign',
    page: { label: { ru: 'Банк', en: 'Bank' }, kind: 'text', on: ['portal'] },
  },
  transfer_purpose: {
    schema: z
      .string()
      .optional()
      .meta({ examples: ['GWK7QW3M9PXTRA0'] }),
    about:
      'Of a payment whose provider matches transfers by their purpose: exactly what the payer must write as the purpose of the transfer.',
    value: (operation) => recipient(operation).transfer_purpose,
    notIn: ['list'],
    page: {
      label: { ru: 'Назначение платежа', en: 'Purpose of the transfer' },
      kind: 'code',
      on: ['portal'],
    },
  },
  expires_at: {
    schema: timestampSchema.optional(),
    about: 'When the requisites stop being payable, if the provider reports it.',
    value: (operation) => (isCancelled(operation) ? undefined : operation.expires_at),
    column: {
      type: 'timestamptz',
      comment: 'End of the payable window, if the provider reported one',
    },
    cell: 'time',
    page: { label: { ru: 'Оплатить до', en: 'Payable until' }, kind: 'time', on: ['portal'] },
  },
  manual_check_reason: {
    schema: manualCheckReasonSchema.optional(),
    about:
      'Only with `manual_check`. `not_terminal`: the transfer is still in progress or the file is not a PDF; this does not indicate fraud.',
    // Without a reason from the provider it is the more serious one (R5.9).
    value: ({ status, manual_check_reason: reason }) =>
      status === 'manual_check' ? (reason ?? 'potential_fake') : undefined,
    column: {
      type: 'text',
      comment:
        'potential_fake or not_terminal, as the provider gave it or none; only while status is manual_check',
    },
    cell: 'own',
    page: {
      label: { ru: 'Причина проверки', en: 'Reason for the check' },
      kind: 'check',
      on: ['portal'],
    },
  },
  metadata: {
    schema: z
      .record(z.string(), z.string())
      .optional()
      .meta({ examples: [{ 'order.id': '1042' }] }),
    about:
      'As the create had it; absent where it had none, and once the client’s personal data was erased.',
    value: ({ opened }) => opened.metadata,
    sealed: true,
    column: {
      type: 'jsonb',
      comment:
        'The merchant’s metadata, {"sealed": …}: encrypted with its client’s key, because it may be personal; null where none was sent. The API, the pages and their CSV show it, until the client is erased',
    },
    cell: 'foreign',
    page: { label: { ru: 'Метаданные', en: 'Metadata' }, kind: 'texts', on: ['portal', 'console'] },
  },
  decline_reason: {
    schema: z.enum(declineReasons).optional(),
    about:
      'Only with `declined`. Each reason has a page that says what to do: `/docs/decline-reasons/<reason with hyphens>`.',
    value: ({ decline_reason: reason }) => reason ?? undefined,
    webhookSince: 2,
    column: {
      type: 'text',
      comment: `${declineReasons.slice(0, -1).join(', ')} or ${declineReasons.at(-1)}, as the merchant sees it; only when declined`,
    },
    cell: 'own',
  },
  merchant_operation_id: {
    schema: z.string(),
    about: 'As the create sent it.',
    value: ({ merchant_operation_id: id }) => id,
    notIn: ['create'],
    request: {
      required: true,
      about:
        'The idempotency key of the operation within the shop. Never send a card number: the value is stored and shown as sent, and can’t be erased.',
      example: 'order-1',
    },
    column: {
      type: 'text collate "C" not null',
      comment:
        "The merchant's own id: unique within the shop, for ever. By bytes, so that its index finds beginnings",
    },
    cell: 'foreign',
    page: {
      label: { ru: 'Номер в магазине', en: 'Merchant operation ID' },
      kind: 'id',
      on: ['portal', 'console'],
    },
  },
  client_id: {
    schema: z.string(),
    about: 'As the create sent it.',
    value: ({ request }) => request.client_id,
    notIn: ['create'],
    request: {
      required: true,
      about:
        'Your system’s ID of the end user. Never send a card number: the value is stored and shown as sent, and can’t be erased.',
      example: 'client-1',
    },
    webhookSince: 3,
    column: { type: 'text not null', comment: "The merchant's id for the payer or recipient" },
    cell: 'foreign',
    page: { label: { ru: 'Клиент', en: 'Client' }, kind: 'code', on: ['portal', 'console'] },
  },
  created_at: {
    schema: timestampSchema,
    about: 'When the create was admitted.',
    value: (operation): string => operation.created_at as string,
    notIn: ['create'],
    webhookSince: 3,
    column: { type: 'timestamptz not null', comment: 'When the create was admitted' },
    cell: 'time',
  },
  returned_amount: {
    schema: amountSchema.optional(),
    about:
      'All that went back of the operation’s money: a payment that was charged back, a payout that was returned. Absent before. What went back after the terminal status changes no other field.',
    value: ({ returned_amount: returned }) => returned,
    notIn: ['create', 'webhook'],
    cell: 'own',
  },
} as const satisfies Readonly<Record<string, FieldEntry>>;
