import {
  endpointChangeSchema,
  endpointListSchema,
  endpointSchema,
  endpointWithSecretSchema,
  newEndpointSchema,
} from '../../bodies/webhook-endpoints.ts';
import { example, pathIdParameter, type EndpointText } from '../endpoint.ts';

const added = {
  endpoint_id: '3f0c9a52-7f0e-4a53-8f6e-2b1c3d4e5f60',
  url: 'https://shop.example/webhooks/accounting',
  types: ['payment.completed', 'payout.completed'],
  description: 'Accounting',
  enabled: true,
  disabled_reason: null,
  created_at: '2026-01-31T12:00:00.000Z',
};
const withSecret = { ...added, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' };

const id = pathIdParameter('endpoint_id', 'endpoint');
const path = '/v1/webhook-endpoints';
const fields = [
  ['field_required', '/url'],
  ['field_invalid', '/url'],
  ['field_unknown', '/name'],
  ['scope_field_forbidden', '/shop_id'],
] as const;
const common = { tag: 'Webhook endpoints', scope: 'all' } as const;

export const webhookEndpoints: readonly EndpointText[] = [
  {
    ...common,
    method: 'post',
    path,
    id: 'createWebhookEndpoint',
    summary: 'Add a webhook endpoint',
    description:
      'A shop has at most 10 endpoints. Each gets the webhooks of the types that it names, or all, of events after it was added. Its `secret` is only in this response. Order and retries are by endpoint: one that fails delays no other.',
    body: {
      contentType: 'application/json',
      name: 'NewWebhookEndpoint',
      schema: newEndpointSchema,
      examples: example('For two types', {
        url: added.url,
        types: added.types,
        description: added.description,
      }),
    },
    answer: {
      status: 201,
      description: 'The new endpoint, with its secret',
      name: 'WebhookEndpointWithSecret',
      schema: endpointWithSecretSchema,
      examples: example('The new endpoint', withSecret),
    },
    problems: ['too_many_endpoints'],
    fields,
  },
  {
    ...common,
    method: 'get',
    path,
    id: 'listWebhookEndpoints',
    summary: 'List the webhook endpoints',
    description:
      'The shop’s endpoints, the oldest first, without their secrets. The first one is the webhook that an operator of the gateway sets.',
    answer: {
      status: 200,
      description: 'All endpoints',
      name: 'WebhookEndpointList',
      schema: endpointListSchema,
      examples: example('One endpoint', { webhook_endpoints: [added] }),
    },
  },
  {
    ...common,
    method: 'get',
    path: `${path}/{endpoint_id}`,
    id: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    description: 'The endpoint without its secret.',
    parameters: [id],
    answer: {
      status: 200,
      description: 'The endpoint',
      name: 'WebhookEndpoint',
      schema: endpointSchema,
      examples: example('An endpoint', added),
    },
    problems: ['not_found'],
  },
  {
    ...common,
    method: 'patch',
    path: `${path}/{endpoint_id}`,
    id: 'changeWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description:
      'Changes what is sent; `null` clears. Webhooks that wait go to the new URL. Other types apply to later events. Webhooks of an endpoint that is not enabled wait, and are sent in order once it is enabled.',
    parameters: [id],
    body: {
      contentType: 'application/json',
      name: 'WebhookEndpointChange',
      schema: endpointChangeSchema,
      examples: example('Disable it', { enabled: false }),
    },
    answer: {
      status: 200,
      description: 'The endpoint as it is now',
      name: 'WebhookEndpoint',
      schema: endpointSchema,
      examples: example('Disabled', { ...added, enabled: false, disabled_reason: 'merchant' }),
    },
    problems: ['not_found'],
    fields,
  },
  {
    ...common,
    method: 'delete',
    path: `${path}/{endpoint_id}`,
    id: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Webhooks that wait for it are cancelled, and never sent.',
    parameters: [id],
    answer: { status: 204, description: 'Deleted' },
    problems: ['not_found'],
  },
  {
    ...common,
    method: 'post',
    path: `${path}/{endpoint_id}/rotate-secret`,
    id: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'The new secret is only in this response. The previous one also signs for 24 hours.',
    parameters: [id],
    answer: {
      status: 200,
      description: 'The endpoint, with its new secret',
      name: 'WebhookEndpointWithSecret',
      schema: endpointWithSecretSchema,
      examples: example('With its new secret', withSecret),
    },
    problems: ['not_found'],
  },
];
