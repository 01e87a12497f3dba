import { destinations, hasBanks, methodNames, methods } from '#shared/domain/methods/index.ts';
import { createBodySchema } from '#shared/application/create-body/body.ts';
import { operationSchema, operationWithLinkSchema } from '../answers.ts';
import type { EndpointText } from '../endpoint.ts';
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

const problems = ['idempotency_body_mismatch', 'provider_not_accepted'] as const;

const waiting =
  'Waits up to 15 seconds for a provider to accept. Repeating the same `merchant_operation_id` with the same body returns the current state of the operation, with `Idempotent-Replayed: true`; a repeat of a rejected create returns the same error.';

const unused =
  '`number`, `name` and `bankname` are accepted but not used: the response has the requisites that the payer must transfer to.';

const paymentBody = {
  contentType: 'application/json',
  name: 'CreatePayment',
  schema: createBodySchema,
  examples: example.paymentBodies,
} as const;

const paymentAnswers = {
  pending: { summary: 'The payer transfers to these requisites', value: example.pendingPayment },
  awaiting_confirmation: {
    summary: 'The payer must confirm with a receipt',
    value: example.awaitingConfirmation,
  },
  converted: { summary: 'With auto-conversion', value: example.convertedPayment },
  cancelled: {
    summary: 'Cancelled before it was created: no requisites',
    value: example.cancelledPayment,
  },
} as const;

const url = { payment_url: 'https://pay.example.com/0f8fad5b-d9cb-869f-a165-70867728950e' };

/** What of a payout's destination depends on its method (R3.7, R3.8). */
const destination = {
  required: ['merchant_operation_id', 'client_id', 'method', 'amount', 'currency', 'number'],
  allOf: methodNames.map((method) => ({
    if: { properties: { method: { const: method } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: {
      ...(hasBanks(method) && { required: ['bankname'] }),
      properties: {
        number: { pattern: destinations[methods[method].destination].jsonPattern },
        ...(hasBanks(method) && { bankname: { enum: Object.keys(methods[method].banks) } }),
      },
    },
  })),
};

const destinationInWords = methodNames
  .map((method, index) => {
    const { called } = destinations[methods[method].destination];
    const bank = hasBanks(method) ? 'required' : 'ignored';
    return `${index === 0 ? 'With' : 'with'} ${method} \`number\` is ${called} and \`bankname\` is ${bank}`;
  })
  .join('; ');

export const createEndpoints: readonly EndpointText[] = [
  {
    method: 'post',
    path: '/v1/payment',
    id: 'createPayment',
    tag: 'Payments',
    summary: 'Create a payment',
    description: `${waiting}\n\n${unused}`,
    scope: 'payments',
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
    description: `Creates the payment exactly as POST /v1/payment does; both use the same set of \`merchant_operation_id\`s. ${waiting}\n\n\`payment_url\` is null if the hosted page is not enabled for the shop: check for it before redirecting. ${unused}`,
    scope: 'payments',
    body: paymentBody,
    answer: {
      status: 200,
      description: 'The payment and its page',
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
          summary: 'Cancelled before it was created',
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
    description: `${waiting} A payout is usually \`pending\` then; its terminal status arrives by webhook.\n\nAn omitted or empty \`name\` becomes \`аноним\`. ${destinationInWords}.`,
    scope: 'payouts',
    body: {
      contentType: 'application/json',
      name: 'CreatePayout',
      schema: createBodySchema,
      rules: destination,
      examples: example.payoutBodies,
    },
    answer: {
      status: 200,
      description: 'The payout',
      name: 'Operation',
      schema: operationSchema,
      replayed: true,
      examples: example.payoutAnswers,
    },
    problems: [...problems, 'insufficient_funds'],
    fields: [...fields, ['number_required', '/number'], ['bankname_required', '/bankname']],
  },
];
