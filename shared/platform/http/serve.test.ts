import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { serveApp } from './testing/serve-app.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createApp } from './app.ts';
import { createMetrics } from './metrics.ts';

/** Returns what arrives until the server closes the connection. */
async function answerTo(
  request: string,
  app = createApp({ logger, metrics: createMetrics('test') }),
): Promise<string> {
  const { port } = await serveApp(app);
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  return text(socket);
}

it.each(['GET /livez HTTP/1.0\r\n\r\n', 'GET /livez HTTP/1.0\r\nUser-Agent: check\r\n\r\n'])(
  'answers an HTTP/1.0 health check without a Host: %j',
  async (request) => {
    const answer = await answerTo(request);
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer.toLowerCase()).toContain('connection: close');
  },
);

it.each(['', 'Host:\r\n', 'Host: \r\n'])(
  'rejects HTTP/1.1 without a Host, even with an absolute URL: %j',
  async (host) => {
    const request = `GET http://a/livez HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    expect(await answerTo(request)).toMatch(/^HTTP\/1\.1 400 /);
  },
);

it('uses host.invalid for a request without a Host', async () => {
  const app = createApp({ logger, metrics: createMetrics('test') });
  app.get('/host', (c) => c.text(new URL(c.req.url).hostname));
  const answer = await answerTo('GET /host HTTP/1.0\r\n\r\n', app);
  expect(answer).toMatch(/\r\nhost\.invalid$/);
});
