import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createLifecycle } from './lifecycle.ts';

const options = {
  name: 'test',
  logger,
  metrics: createMetrics('test'),
};
const hostPort = { host: '127.0.0.1', port: 0 };

it('stop() aborts the signal, drains requests and closes resources in reverse order', async () => {
  const lifecycle = createLifecycle(options);
  const order: string[] = [];
  const { promise: requestReceived, resolve: markReceived } = Promise.withResolvers<void>();
  const { promise: responseAllowed, resolve: allowResponse } = Promise.withResolvers<void>();
  const app = new Hono().get('/', async (c) => {
    markReceived();
    await responseAllowed;
    order.push('answered');
    return c.text('served');
  });
  lifecycle.onStop(() => order.push('database'));
  const { port } = await lifecycle.serve(app, { ...hostPort, metricsPort: 0 });
  lifecycle.onStop(async () => {
    await new Promise(setImmediate);
    order.push('work');
  });
  lifecycle.signal.addEventListener('abort', () => order.push('signal'));
  const answer = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
  await requestReceived;
  const stopping = lifecycle.stop();
  allowResponse();
  expect(await answer).toBe('served');
  await stopping;
  expect(order).toEqual(['signal', 'answered', 'work', 'database']);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
});

it('leave() keeps serving, reports 503 on /readyz and closes keep-alive connections', async () => {
  const lifecycle = createLifecycle(options);
  const app = new Hono()
    .get('/', (c) => c.text('served'))
    .get('/livez', (c) => c.body(null, 204))
    .get('/readyz', (c) => c.body(null, 204));
  const { port } = await lifecycle.serve(app, hostPort);
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.text();
    return [response.status, response.headers.get('connection')];
  };
  expect(await get('/readyz')).toEqual([204, 'keep-alive']);
  lifecycle.leave();
  expect(await get('/readyz')).toEqual([503, 'close']);
  expect(await get('/healthz?verbose')).toEqual([503, 'close']);
  expect(await get('/livez')).toEqual([204, 'close']);
  expect(await get('/')).toEqual([200, 'close']);
  await lifecycle.stop();
});
