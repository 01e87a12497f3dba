import { request } from 'node:http';
import { expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createMetrics } from './metrics.ts';
import { createApiWithoutStores } from '#services/merchant-api/testing/api-without-stores.ts';
import { listenForMetrics } from './metrics-port.ts';

const base = { service: 'merchant-api', logger, metrics: createMetrics('merchant-api') };
const host = '127.0.0.1';

it('serves metrics and probes on a separate port, which the merchants’ port does not', async () => {
  const server = await listenForMetrics({ ...base, notReady: () => 'no store' }, { port: 0, host });
  const get = (path: string) => fetch(`http://${host}:${server?.port}${path}`);
  expect(await (await get('/metrics')).text()).toMatch(/service="merchant-api"/);
  expect((await get('/livez')).status).toBe(204);
  expect((await get('/readyz')).status).toBe(503);
  expect((await get('/v1/balances')).status).toBe(404);
  await server?.close();
  expect((await createApiWithoutStores().send('GET /metrics')).status).toBe(404);
});

it('returns undefined if the port is unset or in use', async () => {
  const server = await listenForMetrics(base, { port: 0, host });
  const port = server?.port;
  expect(await listenForMetrics(base, { port, host })).toBeUndefined();
  expect(await listenForMetrics(base, { port: undefined, host })).toBeUndefined();
  await server?.close();
});

it.each([
  ['127.0.0.1', 'localhost:9080', 200],
  ['127.0.0.1', 'rebound.example', 403],
  ['127.0.0.1', '10.0.0.1', 403],
  ['0.0.0.0', 'rebound.example', 403],
])(
  'listening on %s, answers a loopback request for host %s with %i (R1.12)',
  async (listening, named, status) => {
    const server = await listenForMetrics(base, { port: 0, host: listening });
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request(
      { host, port: server?.port, path: '/metrics', headers: { host: named } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .on('error', reject)
      .end();
    expect(await promise).toBe(status);
    await server?.close();
  },
);
