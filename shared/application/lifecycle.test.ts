import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { createLifecycle } from './lifecycle.ts';

const options = {
  name: 'test',
  logger: createLogger('test', 'silent'),
  metrics: createMetrics('test'),
};
const hostPort = { host: '127.0.0.1', port: 0 };

it('a stop aborts the signal, finishes requests, then closes resources in reverse order', async () => {
  const lifecycle = createLifecycle(options);
  const order: string[] = [];
  const { promise: came, resolve: arrived } = Promise.withResolvers<void>();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const app = new Hono().get('/', async (c) => {
    arrived();
    await held;
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
  await came;
  const stopping = lifecycle.stop();
  letGo();
  expect(await answer).toBe('served');
  await stopping;
  expect(order).toEqual(['signal', 'answered', 'work', 'database']);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
});

it('before a stop the servers continue, report it on /readyz, and close connections', async () => {
  const lifecycle = createLifecycle(options);
  const app = new Hono()
    .get('/', (c) => c.text('served'))
    .get('/livez', (c) => c.body(null, 204))
    .get('/readyz', (c) => c.body(null, 204));
  const { port } = await lifecycle.serve(app, hostPort);
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.text();
    return [response.status, response.headers.get('connection')];
  };
  expect(await ask('/readyz')).toEqual([204, 'keep-alive']);
  lifecycle.leave();
  expect(await ask('/readyz')).toEqual([503, 'close']);
  expect(await ask('/healthz?verbose')).toEqual([503, 'close']);
  expect(await ask('/livez')).toEqual([204, 'close']);
  expect(await ask('/')).toEqual([200, 'close']);
  await lifecycle.stop();
});
