import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serveApp } from './testing/serve-app.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createApp } from './app.ts';
import { readBytes } from './body.ts';
import { createMetrics } from './metrics.ts';
import { Problem } from './problems.ts';
import { connectionLimits, type ConnectionLimits, type RunningServer } from './serve.ts';

async function start(limits: Partial<ConnectionLimits> = {}): Promise<RunningServer> {
  const app = createApp({ logger, metrics: createMetrics('test') });
  app.use('/v1/*', async (c, next) => {
    await Promise.resolve();
    if (c.req.header('x-api-key') !== 'key') throw new Problem('api_key_required');
    await next();
  });
  app.get('/slow', async (c) => {
    await delay(300);
    return c.text('slow');
  });
  app.get('/large', (c) => c.body('x'.repeat(20_000_000)));
  app.post('/v1/payment', async (c) => c.json({ bytes: (await readBytes(c, 1_000)).byteLength }));
  return serveApp(app, { limits: { ...connectionLimits, ...limits } });
}

/** Sends raw bytes; returns what arrives until a complete response or the end of the connection. */
function send(port: number, text: string, { until = /\}$/ } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      answer += part;
      if (until.test(answer)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
const bodyOf = (answer: string) =>
  JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>;

const head = 'POST /v1/payment HTTP/1.1\r\nHost: localhost\r\n';

describe('malformed request', () => {
  it.each<[what: string, text: string, status?: number, code?: string]>([
    ['no request line', 'hello\r\n\r\n'],
    ['an unknown method', 'FOO /v1/payment HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a header without a colon', `${head}nonsense\r\n\r\n`],
    ['headers over 16 KiB', `${head}x-long: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['a request line over 16 KiB', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\n\r\n`],
    ['two lengths', `${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['no host in HTTP/1.1', 'GET /livez HTTP/1.1\r\n\r\n'],
    ['a malformed host', 'GET /livez HTTP/1.1\r\nHost: a b@c:99999\r\n\r\n'],
    ['an invalid address as the host', 'GET /livez HTTP/1.1\r\nHost: 1.2.3.4.5\r\n\r\n'],
    ['a number as the host', 'GET /livez HTTP/1.1\r\nHost: 4111111111111111\r\n\r\n'],
    ['a broken chunk', `${head}x-api-key: key\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`],
    ...[
      '/v1\\payment',
      '/v1/../livez',
      '/v1/%2E%2e/livez',
      '/v1/.%2e?a',
      '/./livez',
      '/..',
      'http://a/v1/../livez',
    ].map((path): [string, string] => [
      `the path ${path}`,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    ]),
    [
      'CONNECT',
      'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    [
      'a broken chunk without a key',
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      401,
      'api_key_required',
    ],
  ])(
    'is answered with a problem: %s',
    async (_what, text, status = 400, code = 'invalid_request') => {
      const { port } = await start();
      const answer = await send(port, text);
      expect(statusOf(answer)).toBe(status);
      expect(answer).toMatch(/content-type: application\/problem\+json/i);
      expect(bodyOf(answer)).toMatchObject({
        status,
        code,
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  it.each(['/livez?to=/../x', '/livez?a=/..', '/livez#/../'])(
    'excludes dots after the path: %s',
    async (target) => {
      const { port } = await start();
      const text = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nconnection: close\r\n\r\n`;
      expect(statusOf(await send(port, text))).toBe(204);
    },
  );

  it('is rejected if it takes too long to arrive', async () => {
    const { port } = await start({ headersTimeoutMs: 100, requestTimeoutMs: 300 });
    const slowHeaders = await send(port, head);
    const slowBody = await send(port, `${head}x-api-key: key\r\ncontent-length: 5\r\n\r\nab`);
    for (const answer of [slowHeaders, slowBody])
      expect(bodyOf(answer)).toMatchObject({
        code: 'invalid_request',
        detail: 'the request took too long to arrive',
      });
  });

  it('gets one response, whatever follows it', async () => {
    const { port } = await start();
    const text = `${head}transfer-encoding: chunked\r\n\r\nzz\r\nzz\r\n`;
    const answer = await send(port, text, { until: /never/ });
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 401']);
  });

  it('is answered after the requests before it', async () => {
    const { port } = await start();
    const text = `${head}x-api-key: key\r\ncontent-length: 2\r\n\r\nab`;
    const answer = await send(port, `${text}${text}nonsense\r\n\r\n`, { until: /never/ });
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 400',
    ]);
  });

  it('is not answered within the response to the one before it', async () => {
    const { port } = await start();
    const slow = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const broken = `${head}x-api-key: key\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`;
    const answer = await send(port, slow + broken, { until: /never/ });
    expect(answer.match(/HTTP\/1\.1 \d{3}|slow/g)).toEqual([
      'HTTP/1.1 200',
      'slow',
      'HTTP/1.1 400',
    ]);
  });

  it('gets no response on a connection that never sent a byte', async () => {
    const { port } = await start({ headersTimeoutMs: 100, requestTimeoutMs: 300 });
    expect(await send(port, '')).toBe('');
  });
});

describe('response', () => {
  it('disconnects a client that does not read it, and no other', async () => {
    // Long enough for the client that reads, even if this process stalls for seconds.
    const idleMs = 600_000;
    const { port } = await start({
      answerTimeoutMs: 8_000,
      headersTimeoutMs: idleMs,
      requestTimeoutMs: idleMs,
    });
    const paused = connect(port, '127.0.0.1', () =>
      paused.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'),
    );
    paused.pause().on('error', () => undefined);
    const idle = connect(port, '127.0.0.1');
    const response = await fetch(`http://127.0.0.1:${port}/large`);
    expect((await response.bytes()).byteLength).toBe(20_000_000);
    // A paused socket only notices its end by writing.
    const isOver = () => {
      paused.write('\r\n');
      return paused.destroyed;
    };
    await expect.poll(isOver).toBe(true);
    expect(idle.readyState).toBe('open');
    idle.destroy();
  });
});

describe('HTTP server', () => {
  it('ignores an unknown expectation', async () => {
    const { port } = await start();
    const answer = await send(
      port,
      `${head}x-api-key: key\r\nexpect: miracles\r\ncontent-length: 2\r\n\r\nab`,
    );
    expect(bodyOf(answer)).toEqual({ bytes: 2 });
  });

  it('answers 100 Continue to a request that expects it', async () => {
    const { port } = await start();
    const text = `${head}x-api-key: key\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`;
    expect(await send(port, text, { until: /\r\n\r\n$/ })).toMatch(/^HTTP\/1\.1 100 /);
  });

  it('handles TRACE like other methods, and does not echo it', async () => {
    const { port } = await start();
    const answer = await send(
      port,
      'TRACE /v1/payment HTTP/1.1\r\nHost: localhost\r\nx-api-key: secret\r\n\r\n',
    );
    expect(bodyOf(answer)).toMatchObject({ status: 401 });
    expect(answer).not.toContain('secret');
  });

  it.each([
    '/%',
    '/%zz/v1',
    '/livez%00',
    '/..%2f..%2flivez',
    '/%c0%af',
    '/?%',
    '//',
    '//v1/payment',
  ])('answers %s with 404', async (path) => {
    const { port } = await start();
    const answer = await send(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(bodyOf(answer)).toMatchObject({ status: 404, code: 'route_not_found' });
  });
});
