import { Validator } from '@seriousme/openapi-schema-validator';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { methodNames, methods } from '#shared/domain/methods/index.ts';
import { problems } from '#shared/platform/http/problems.ts';
import { parseCreateBody } from '#shared/application/create-body/body.ts';
import { createApiWithoutStores } from '#services/merchant-api/testing/api-without-stores.ts';
import { problemSchema } from './answers.ts';
import { createDocument, endpoints } from './document.ts';
import { createEndpoints } from './endpoints/create.ts';
import { fieldExplanations } from './explanations.ts';
import { documentFile, documentText } from './file.ts';
import { sectionNames } from '#services/documentation/sections.ts';
import { endpointDisabledSchema, webhookSchema } from './webhooks.ts';
import { webhookTypes } from '#shared/domain/webhook/types.ts';

/** Paths of the merchant API that serve its reference, and that the reference omits. */
const undescribed = new Set([
  '/openapi.json',
  ...sectionNames.map((name) => (name === '' ? '/docs' : `/docs/${name}`)),
  '/docs/assets/:file',
  '/docs/client.tgz',
  '/docs/sample-receipt.pdf',
  '/docs/search',
  '/docs/errors/:code',
  '/docs/decline-reasons/:reason',
]);

describe('the OpenAPI document', () => {
  it('equals docs/openapi.json, which `npm run openapi` writes', () => {
    const checkedIn = readFileSync(documentFile, 'utf8');
    expect(
      checkedIn === documentText(),
      'docs/openapi.json is out of step: run `npm run openapi`',
    ).toBe(true);
  });

  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(JSON.parse(documentText()))).toEqual({ valid: true });
  });

  it('describes every route of the merchant API and no other (R2.11)', () => {
    const routes = createApiWithoutStores()
      .api.routes.filter(({ method, path }) => method !== 'ALL' && !undescribed.has(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(described.toSorted()).toEqual([...new Set(routes)].toSorted());
  });

  it('declares the security of every request and webhook, as linters require', () => {
    const { paths, webhooks } = JSON.parse(documentText()) as Record<
      'paths' | 'webhooks',
      Record<string, Record<string, { operationId?: string; security?: unknown }>>
    >;
    const operations = [paths, webhooks].flatMap((items) =>
      Object.values(items).flatMap((item) => Object.values(item)),
    );
    const undeclared = operations.filter(({ operationId, security }) => operationId && !security);
    expect(undeclared.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('has no dangling references', () => {
    const document = createDocument();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, at = '']) => at,
    );
    expect(references.length).toBeGreaterThan(100);
    for (const reference of new Set(references)) {
      const target = reference
        .split('/')
        .reduce<unknown>(
          (value, key) => (value as Record<string, unknown> | undefined)?.[key],
          document,
        );
      expect([reference, typeof target]).toEqual([reference, 'object']);
    }
  });
});

describe('examples', () => {
  const answers = endpoints.flatMap(({ id, answer }) =>
    Object.entries(answer.examples ?? {}).map(([name, { value }]) => ({
      name: `${id} ${name}`,
      answer,
      value,
    })),
  );
  it.each(answers)('match the schema of the response: $name', ({ answer, value }) => {
    expect(answer.schema?.parse(value)).toEqual(value);
  });

  const creates = createEndpoints.flatMap(({ id, body }) =>
    Object.entries(body?.examples ?? {}).map(([name, { value }]) => ({ id, name, value })),
  );
  it.each(creates)('pass the validation of a create: $id $name', ({ id, value }) => {
    expect(parseCreateBody(id === 'createPayout' ? 'payout' : 'payment', value)).toEqual(value);
  });

  const requests = endpoints.flatMap(({ id, body }) =>
    Object.entries(body?.examples ?? {}).map(([name, { value }]) => ({
      name: `${id} ${name}`,
      body,
      value,
    })),
  );
  it.each(requests)('match the schema of the request: $name', ({ body, value }) => {
    expect(body?.schema.parse(value)).toEqual(value);
  });

  it('of errors have the documented status (R2.1)', () => {
    const { components } = createDocument();
    const responses = Object.entries(components.responses as Record<string, ErrorAnswer>);
    expect(responses.length).toBeGreaterThan(10);
    for (const [name, { content }] of responses) {
      for (const { value } of Object.values(content['application/problem+json'].examples)) {
        expect(problemSchema.parse(value)).toMatchObject({ status: Number(name.slice(0, 3)) });
      }
    }
  });

  it('of methods have distinct names', () => {
    const names = methodNames.map((method) => methods[method].example.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('of webhooks match their schemas', () => {
    const { value } =
      createDocument().webhooks.operation.post.requestBody.content['application/json'].examples
        .completed;
    expect(webhookSchema.parse(value)).toEqual(value);
    const { failing } =
      createDocument().webhooks.endpoint.post.requestBody.content['application/json'].examples;
    expect(endpointDisabledSchema.parse(failing.value)).toEqual(failing.value);
  });

  it('of webhooks have types to which an endpoint can subscribe', () => {
    const types = [...webhookSchema.shape.type.options, endpointDisabledSchema.shape.type.value];
    expect(types.filter((type) => !webhookTypes.includes(type))).toEqual([]);
  });
});

type ErrorAnswer = {
  content: { 'application/problem+json': { examples: Record<string, { value: unknown }> } };
};

describe('error codes', () => {
  it('of fields are all explained, and each is listed at an endpoint', () => {
    const listed = endpoints.flatMap(({ fields = [] }) => fields.map(([code]) => code));
    expect([...new Set(listed)].toSorted()).toEqual(Object.keys(fieldExplanations).toSorted());
  });

  it('are each listed at an endpoint, except those of other services and of no endpoint', () => {
    const elsewhere = [
      'admin_token_required',
      'admin_token_invalid',
      'signature_invalid',
      'adjustment_conflict',
      'client_operations_open',
      'too_many_keys',
      'routes_changed',
      'finding_changed',
      'too_many_members',
      'too_many_links',
      'account_not_off',
      'review_not_allowed',
      'close_not_allowed',
      'route_not_found',
      'method_not_allowed',
    ];
    const listed = new Set<string>(endpoints.flatMap((endpoint) => endpoint.problems));
    expect(Object.keys(problems).filter((code) => !listed.has(code))).toEqual(
      Object.keys(problems).filter((code) => elsewhere.includes(code)),
    );
  });
});

it('the documented rules for a payout’s number match the validation', () => {
  const { components } = createDocument();
  const [card, phone] = (components.schemas['CreatePayout'] as { allOf: Rule[] }).allOf;
  const good = { merchant_operation_id: 'a', client_id: 'b', amount: '1.00', currency: 'RUB' };
  const accepts = (body: object) => {
    try {
      return Boolean(parseCreateBody('payout', { ...good, ...body }));
    } catch {
      return false;
    }
  };
  const numbers = [
    '',
    '123456789',
    '+7900123456',
    '12345678901',
    '1234-5678 9012',
    ' 123456789012',
    '12345678901x',
  ];
  for (const number of [
    ...numbers,
    '1'.repeat(15),
    '1'.repeat(16),
    '1'.repeat(19),
    '1'.repeat(20),
  ]) {
    const matches = (rule?: Rule) =>
      new RegExp(rule?.then.properties.number.pattern ?? '', 'u').test(number);
    expect([number, accepts({ method: 'WT_RUB_C2C', number })]).toEqual([number, matches(card)]);
    expect([number, accepts({ method: 'WT_RUB_PHONE', number, bankname: 'vtb' })]).toEqual([
      number,
      matches(phone),
    ]);
  }
});

// oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
type Rule = { then: { properties: { number: { pattern: string } } } };
