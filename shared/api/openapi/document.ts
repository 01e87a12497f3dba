import { problemSchema } from './answers.ts';
import {
  createSharedAnswers,
  errorAnswers,
  describeHeaders,
  type SharedAnswers,
} from './answers-of.ts';
import { defineEndpoint, type Endpoint } from './endpoint.ts';
import { accountEndpoints } from './endpoints/account.ts';
import { createEndpoints } from './endpoints/create.ts';
import { exportEndpoints } from './endpoints/exports.ts';
import { operationEndpoints } from './endpoints/operations.ts';
import { payoutBatchEndpoints } from './endpoints/payout-batches.ts';
import { serviceEndpoints } from './endpoints/service.ts';
import { statementEndpoints } from './endpoints/statements.ts';
import { webhookEndpoints } from './endpoints/webhook-endpoints.ts';
import { createSchemaNames, type SchemaNames } from './json-schema.ts';
import { overview } from './overview.ts';
import { webhookDescriptions } from './webhooks.ts';

export const endpoints: readonly Endpoint[] = [
  ...createEndpoints,
  ...operationEndpoints,
  ...accountEndpoints,
  ...payoutBatchEndpoints,
  ...webhookEndpoints,
  ...exportEndpoints,
  ...statementEndpoints,
  ...serviceEndpoints,
].map(defineEndpoint);

const tags = ['Payments', 'Payouts', 'Operations', 'Account', 'Webhook endpoints', 'Service'];

/** The gateway of the examples in the document that is checked in. */
const exampleGateway = 'http://localhost:8080';

/**
 * The merchant API as an OpenAPI 3.1 document, made from the schemas that validate (R2.11).
 * `gateway`: where merchants reach it, for the examples.
 */
export function createDocument(gateway = exampleGateway) {
  const names = createSchemaNames();
  const shared = createSharedAnswers();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method]: describeOperation(endpoint, { names, shared, gateway }),
    };
  }
  const webhooks = webhookDescriptions(names);
  return {
    openapi: '3.1.1',
    info: { title: 'Payment Gateway Merchant API', version: '1.0.0', description: overview },
    servers: [{ url: '/', description: 'The gateway that serves this document' }],
    tags: tags.map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      schemas: names.all(),
      responses: shared.all(),
      headers,
      parameters: {
        'X-Request-Id': {
          name: 'X-Request-Id',
          in: 'header',
          required: false,
          description:
            'Returned in the response, and stored with every event that the request causes. If it is absent or looks like a card number, a new one is generated.',
          schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
        },
      },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'The shop’s API key. It alone determines the shop of a request. A key with scopes needs the one that is named here.',
        },
      },
    },
  };
}

/** The scopes that allow an endpoint; none if only a key without scopes may call it. */
const endpointScopes = ({ scope }: Endpoint): string[] =>
  scope === undefined || scope === 'all' ? [] : [scope];

function describeOperation(
  endpoint: Endpoint,
  { names, shared, gateway }: { names: SchemaNames; shared: SharedAnswers; gateway: string },
) {
  const { body, answer, parameters = [] } = endpoint;
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    security: endpoint.needsKey ? [{ apiKey: endpointScopes(endpoint) }] : [],
    parameters: [
      ...parameters.map(({ optional, ...parameter }) => ({ ...parameter, required: !optional })),
      { $ref: '#/components/parameters/X-Request-Id' },
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [body.contentType]: {
            schema: names.refer(body.name, body.schema, body.rules),
            ...(body.examples && { examples: body.examples }),
          },
          ...(body.fileType && { [body.fileType]: {} }),
        },
      },
    }),
    responses: {
      [String(answer.status)]: {
        description: answer.description,
        headers: describeHeaders(endpoint, answer.status),
        ...describeContent(answer, names),
      },
      ...errorAnswers(endpoint, { schema: names.refer('Problem', problemSchema), shared, gateway }),
    },
  };
}

function describeContent(
  { name, schema, contentTypes, examples }: Endpoint['answer'],
  names: SchemaNames,
) {
  if (contentTypes) return { content: Object.fromEntries(contentTypes.map((type) => [type, {}])) };
  if (name === undefined || schema === undefined) return {};
  return {
    content: {
      'application/json': { schema: names.refer(name, schema), ...(examples && { examples }) },
    },
  };
}

const count = { type: 'integer', minimum: 0 };

const headers = {
  'X-Request-Id': {
    description: 'The id of the request: the one that was sent, or a generated one.',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description:
      'Present if the response repeats that of an earlier request with the same `merchant_operation_id`.',
    schema: { type: 'string', const: 'true' },
  },
  'RateLimit-Limit': {
    description: 'The maximum burst: the number of requests that the key may send at once.',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'The number of requests left.', schema: count },
  'RateLimit-Reset': {
    description: 'Seconds until the full burst is available again.',
    schema: count,
  },
  'RateLimit-Policy': {
    description: 'The maximum burst, and the seconds (`w`) in which an empty bucket fills.',
    schema: { type: 'string', examples: ['200;w=2'] },
  },
  'Retry-After': {
    description:
      'Seconds to wait before the next attempt. They include a random part, so that clients that were refused together do not return together: up to 2 s, or up to a quarter of times over 8 s, at most 30 s.',
    required: true,
    schema: count,
  },
};
