import { z } from 'zod';
import { operationWebhookTypes } from '#shared/domain/webhook/types.ts';
import { fieldSchemas } from '#shared/domain/operation/fields/derive.ts';
import {
  amountSchema,
  currencySchema,
  timestampSchema,
} from '#shared/domain/operation/fields/schemas.ts';
import { exampleIds as exampleIdentifiers, pendingPayment } from './endpoints/examples.ts';
import type { Example } from './endpoint.ts';
import type { SchemaNames } from './json-schema.ts';

/** Money that was returned after the end. */
const returnedSchema = z.object({
  amount: amountSchema.meta({ description: 'What went back this time.' }),
  currency: currencySchema,
  total: amountSchema.meta({
    description: 'All that went back of the operation so far, with this.',
  }),
  at: timestampSchema.meta({ description: 'When it went back, as the provider reports it.' }),
});

/** What is pushed to the shop's webhook URL (R14.2). */
export const webhookSchema = z.object({
  id: z.string().meta({ description: 'The event’s id, the same on every attempt.' }),
  type: z.enum(operationWebhookTypes),
  timestamp: z.iso.datetime().meta({ description: 'When the event happened.' }),
  sequence: z
    .int()
    .min(1)
    .meta({ description: 'The number of the webhook within its operation, from 1.' }),
  data: z.object({
    shop_id: z.string(),
    operation: z
      .object(fieldSchemas('webhook'))
      .meta({ description: 'The operation as it was at that event.' }),
    returned: returnedSchema.optional().meta({
      description:
        'Only with `payment.charged_back` and `payout.returned`; `operation` is as it ended.',
    }),
  }),
});

/** What the other endpoints are sent when one is disabled or fails (R14.19). */
export const endpointDisabledSchema = webhookSchema.extend({
  type: z.literal('endpoint.disabled'),
  sequence: z.literal(1),
  data: z.object({
    shop_id: z.string(),
    endpoint: z.object({
      endpoint_id: z.guid(),
      url: z.string(),
      description: z.string().nullable(),
    }),
    reason: z.string().meta({
      description:
        '`failing`: every attempt has failed for an hour. Otherwise it is disabled: `merchant`, `operator`, or the reason of the gateway.',
    }),
    failing_since: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Since when every attempt has failed; null where it is disabled.' }),
  }),
});

const { number: _number, name: _name, ...operation } = pendingPayment;

const parameters = [
  {
    name: 'webhook-id',
    description: 'The same on every attempt: ignore a webhook whose id you have already processed.',
  },
  { name: 'webhook-timestamp', description: 'When this attempt was made, in seconds since 1970.' },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>` with the endpoint’s secret. During a rotation of the secret there are several, separated by spaces: one valid signature is enough.',
  },
].map((parameter) => ({ ...parameter, in: 'header', required: true, schema: { type: 'string' } }));

const failing = {
  id: '2b6f5c11-3c1b-4a55-9b0e-4a1f3c5d7e91',
  type: 'endpoint.disabled',
  timestamp: '2026-01-31T13:00:00.000Z',
  sequence: 1,
  data: {
    shop_id: '6b1d0a52-7f0e-4a53-8f6e-2b1c3d4e5f60',
    endpoint: {
      endpoint_id: '3f0c9a52-7f0e-4a53-8f6e-2b1c3d4e5f60',
      url: 'https://shop.example/webhooks/accounting',
      description: 'Accounting',
    },
    reason: 'failing',
    failing_since: '2026-01-31T12:00:00.000Z',
  },
};

const completed = {
  id: '8d1c2f5e-7c1b-4a55-9b0e-4a1f3c5d7e90',
  type: 'payment.completed',
  timestamp: '2026-01-31T12:03:00.000Z',
  sequence: 1,
  data: {
    shop_id: '6b1d0a52-7f0e-4a53-8f6e-2b1c3d4e5f60',
    operation: {
      ...operation,
      status: 'completed',
      actual_amount: '100.00',
      recorded_currency: 'RUB',
      recorded_amount: '100.00',
      ...exampleIdentifiers,
    },
  },
};

const described = <Examples extends Readonly<Record<string, Example>>>(
  about: { operationId: string; summary: string; description: string },
  schema: { $ref: string },
  examples: Examples,
) => ({
  post: {
    ...about,
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema, examples } } },
    responses: { '2XX': { description: 'Delivered' } },
  },
});

/** The `webhooks` of the document. */
export const webhookDescriptions = (names: SchemaNames) => ({
  operation: described(
    {
      operationId: 'operationChanged',
      summary: 'An operation has reached a terminal status, or awaits confirmation',
      description:
        'Delivered at least once, in order within an operation. Any 2xx response within 15 seconds is a success; anything else is retried for about three days. 410 disables the endpoint. A `ping`, which an operator sends to test an endpoint, has no operation.',
    },
    names.refer('Webhook', webhookSchema),
    { completed: { summary: 'A payment has completed', value: completed } },
  ),
  endpoint: described(
    {
      operationId: 'endpointDisabled',
      summary: 'Another endpoint of the shop is disabled, or has failed for an hour',
      description:
        'Sent to the endpoints that take `endpoint.disabled`, but not to the one that it is about. It has no operation.',
    },
    names.refer('EndpointDisabled', endpointDisabledSchema),
    { failing: { summary: 'It has failed for an hour', value: failing } },
  ),
});
