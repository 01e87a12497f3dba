import { methods } from '#shared/domain/methods.ts';
import { createBodySchema } from '../../../endpoints/create/body.ts';
import { operationSchema, operationWithLinkSchema } from '../answers.ts';
import { withJson, withKey, type Endpoint } from '../endpoint.ts';
import * as example from './examples.ts';

const fields = [
  ['field_required', '/merchant_operation_id'],
  ['field_invalid', '/client_id'],
  ['field_unknown', '/amuont'],
  ['scope_field_forbidden', '/shop_id'],
  ['amount_invalid', '/amount'],
  ['method_unknown', '/method'],
  ['currency_unknown', '/currency'],
  ['currency_method_mismatch', '/currency'],
  ['client_ip_invalid', '/client_ip'],
  ['number_invalid', '/number'],
  ['bankname_unknown', '/bankname'],
] as const;

const problems = [...withKey, ...withJson, 'idempotency_body_mismatch', 'provider_not_accepted'] as const;

const waiting =
  'Waits for a provider to accept, for 15 seconds at most. The same `merchant_operation_id` with the same body gives the operation as it is now, with `Idempotent-Replayed: true`; a repeat of a rejected creation gives the same rejection.';

const unused =
  '`number`, `name` and `bankname` are accepted and not used: the answer says where the payer must transfer to.';

const paymentBody = {
  contentType: 'application/json',
  name: 'CreatePayment',
  schema: createBodySchema,
  examples: {
    card: { summary: 'By card number', value: example.card },
    phone: { summary: 'By phone number', value: example.phone },
  },
} as const;

const paymentAnswers = {
  pending: { summary: 'The payer transfers to these requisites', value: example.pendingPayment },
  awaiting_confirmation: {
    summary: 'The payer must confirm with a receipt',
    value: example.awaitingConfirmation,
  },
  converted: { summary: 'With auto-conversion', value: example.convertedPayment },
  cancelled: { summary: 'A cancel came first: no requisites', value: example.cancelledPayment },
} as const;

const url = { payment_url: 'https://pay.example.com/0f8fad5b-d9cb-869f-a165-70867728950e' };

/** Payments and payouts share their ids. */
const payoutId = { merchant_operation_id: 'payout-1' };

/** What of a payout's destination depends on its method (R3.7, R3.8). */
const destination = {
  required: ['merchant_operation_id', 'client_id', 'method', 'amount', 'currency', 'number'],
  allOf: [
    {
      if: { properties: { method: { const: 'WT_RUB_C2C' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { number: { pattern: '^[ -]*([0-9][ -]*){12,19}$' } } },
    },
    {
      if: { properties: { method: { const: 'WT_RUB_PHONE' } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: {
        required: ['bankname'],
        properties: {
          number: { pattern: '^\\+?[0-9]{10,15}$' },
          bankname: { enum: Object.keys(methods.WT_RUB_PHONE.banks) },
        },
      },
    },
  ],
};

export const createEndpoints: readonly Endpoint[] = [
  {
    method: 'post',
    path: '/v1/payment',
    id: 'createPayment',
    tag: 'Payments',
    summary: 'Create a payment',
    description: `${waiting}\n\n${unused}`,
    needsKey: true,
    body: paymentBody,
    answer: {
      status: 200,
      description: 'The payment',
      name: 'Operation',
      schema: operationSchema,
      replayed: true,
      examples: paymentAnswers,
    },
    problems,
    fields,
  },
  {
    method: 'post',
    path: '/v1/payment/link',
    id: 'createPaymentLink',
    tag: 'Payments',
    summary: 'Create a payment with a hosted page',
    description: `Creates the payment exactly as POST /v1/payment does; the two share their \`merchant_operation_id\`s. ${waiting}\n\n\`payment_url\` is null where the hosted page is not enabled for the shop: check for it before redirecting. ${unused}`,
    needsKey: true,
    body: paymentBody,
    answer: {
      status: 200,
      description: 'The payment, and its page',
      name: 'OperationWithLink',
      schema: operationWithLinkSchema,
      replayed: true,
      examples: {
        pending: { summary: 'Redirect the payer', value: { ...example.pendingPayment, ...url } },
        without_page: {
          summary: 'Render the requisites yourself',
          value: { ...example.pendingPayment, payment_url: null },
        },
        cancelled: {
          summary: 'A cancel came first',
          value: { ...example.cancelledPayment, payment_url: null },
        },
      },
    },
    problems,
    fields,
  },
  {
    method: 'post',
    path: '/v1/payout',
    id: 'createPayout',
    tag: 'Payouts',
    summary: 'Create a payout',
    description: `${waiting} A payout is usually \`pending\` then; its end arrives by webhook.\n\nAn omitted or empty \`name\` becomes \`аноним\`. With WT_RUB_C2C \`number\` is a card number and \`bankname\` is ignored; with WT_RUB_PHONE \`number\` is a phone number and \`bankname\` is required.`,
    needsKey: true,
    body: {
      contentType: 'application/json',
      name: 'CreatePayout',
      schema: createBodySchema,
      rules: destination,
      examples: {
        card: {
          summary: 'To a card',
          value: { ...example.card, ...payoutId, number: '2200 1234 5678 9012' },
        },
        phone: {
          summary: 'To a phone number',
          value: {
            ...example.phone,
            ...payoutId,
            number: '+79001234567',
            name: 'Иван И.',
            bankname: 'sberbank',
          },
        },
      },
    },
    answer: {
      status: 200,
      description: 'The payout',
      name: 'Operation',
      schema: operationSchema,
      replayed: true,
      examples: {
        card: { summary: 'To a card', value: example.pendingPayout },
        phone: { summary: 'To a phone number', value: example.pendingPhonePayout },
      },
    },
    problems: [...problems, 'insufficient_funds'],
    fields: [...fields, ['number_required', '/number'], ['bankname_required', '/bankname']],
  },
];
