import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endpoints, problemStatuses } from './api.ts';
import { createClient } from './client.ts';
import { apiModule } from '#infra/verify/client-types/api-types.ts';
import { apiFile, apiText, readDocument } from '#infra/verify/client-types/file.ts';
import { schemaType } from '#infra/verify/client-types/schema-type.ts';

/**
 * Endpoints without a method in the client: probes are for load balancers, a receipt's link is
 * used directly, and the keys without an API key are those of `listCheckpointKeys`.
 */
const withoutMethod = [
  'isLive',
  'isHealthy',
  'isReady',
  'downloadReceipt',
  'listPublicCheckpointKeys',
];

describe('the client and docs/openapi.json', () => {
  const document = readDocument();
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
  );

  it('agree on types, which `npm run openapi` writes', () => {
    const isUpToDate = readFileSync(apiFile, 'utf8') === apiText(document);
    expect(isUpToDate, 'clients/typescript/api.ts is out of step: run `npm run openapi`').toBe(
      true,
    );
  });

  it('agree on endpoints: each has a method, and each method an endpoint', () => {
    const client = createClient({ baseUrl: 'https://gateway.example', apiKey: 'key' });
    const ids = described.map(({ operationId }) => operationId);
    expect([...Object.keys(client), ...withoutMethod].toSorted()).toEqual(ids.toSorted());
  });

  it('agree on endpoints in Python too', () => {
    const python = readFileSync(new URL('../python/gateway_client/__init__.py', import.meta.url));
    const [, gateway = ''] = /^class Gateway:$(.*?)^class /ms.exec(python.toString()) ?? [];
    const methods = [...gateway.matchAll(/^ {4}def ([a-z]\w*)\(self/gm)].map(([, name]) =>
      String(name),
    );
    const snakeCase = (id: string) =>
      id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const ids = described
      .map(({ operationId }) => operationId)
      .filter((id) => !withoutMethod.includes(id));
    expect(methods.toSorted()).toEqual(ids.map(snakeCase).toSorted());
  });

  it('would differ after a new endpoint', () => {
    const { post } = document.paths['/v1/payment'] ?? {};
    if (!post) throw new Error('no such endpoint');
    const paths = {
      ...document.paths,
      '/v1/refund': { post: { ...post, operationId: 'createRefund' } },
    };
    const text = apiModule({ ...document, paths });
    expect(text).toContain('createRefund: {"method":"POST","path":"/v1/refund","sends":"json"');
    expect(Object.keys(endpoints)).not.toContain('createRefund');
  });

  it('agree on paths, methods and codes', () => {
    for (const { path, method, operationId } of described) {
      if (withoutMethod.includes(operationId)) continue;
      const endpoint = endpoints[operationId as keyof typeof endpoints];
      expect(endpoint).toMatchObject({ path, method: method.toUpperCase() });
      for (const code of endpoint.problems)
        expect(problemStatuses[code]).toBeGreaterThanOrEqual(400);
    }
  });
});

it('typeOf rejects a schema that it supports only in part', () => {
  expect(() => schemaType({}, 'answer')).toThrow(/no type/);
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  expect(() => schemaType({ allOf: [{ if: {}, then: {} }] }, 'request')).toThrow(/no variants/);
});
