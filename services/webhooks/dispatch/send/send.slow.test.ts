import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { newWebhookSecret } from '#shared/application/credentials.ts';
import { selfSigned } from '../../testing/certificate.ts';
import { createPools } from './pools.ts';
import { createSend, type SendResult } from './send.ts';

/** The deadline for attempts that would never end. */
const deadlineMs = 1_000;
/** The deadline for attempts that end by themselves, even on a busy machine. */
const patientMs = 20_000;
const pools = createPools({
  allowPrivate: true,
  resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
});
afterAll(() => pools.close());

async function attempt(url: string, withinMs: number): Promise<SendResult> {
  const delivery = { messageId: 'id', body: '{}', url, secrets: [newWebhookSecret()] };
  const send = createSend(
    { pools, allowPrivate: true, deadlineMs: withinMs },
    new AbortController().signal,
  );
  const sent = await send(delivery);
  if (sent === 'aborted') throw new Error('the attempt was aborted');
  return sent;
}

const portOf = async (server: Server): Promise<number> => {
  onTestFinished(() => void server.close());
  return listenOnLoopback(server);
};

async function listen(answer: RequestListener): Promise<string> {
  const server = createHttpServer(answer);
  onTestFinished(() => server.closeAllConnections());
  return `http://127.0.0.1:${await portOf(server)}/`;
}

/** Stops the timers, which only `attemptUntil` advances; sockets continue. */
function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Makes an attempt whose deadline passes once the promise is fulfilled, and not before. */
async function attemptUntil(sign: Promise<unknown>, url: string): Promise<SendResult> {
  holdTime();
  const sent = attempt(url, deadlineMs);
  await sign;
  vi.advanceTimersByTime(deadlineMs);
  return sent;
}

/** Resolves once the client has the headers of a response. */
function headersRead(): Promise<void> {
  const name = 'http.client.response.finish';
  return new Promise((resolve) => {
    const read = () => {
      unsubscribe(name, read);
      resolve();
    };
    subscribe(name, read);
  });
}

/** Writes repeatedly until the end of the test. */
function forever(write: () => boolean, everyMs: number): void {
  const timer = setInterval(() => write() || undefined, everyMs);
  onTestFinished(() => clearInterval(timer));
}

describe('an attempt ends whatever its endpoint does', () => {
  it('if its headers arrive byte by byte: the deadline covers the whole response (R14.6)', async () => {
    const trickling = Promise.withResolvers<void>();
    let written = 0;
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\n');
      forever(() => {
        if ((written += 1) === 5) trickling.resolve();
        return socket.write('x-a: b\r\n');
      }, 20);
    });
    const url = `http://127.0.0.1:${await portOf(server)}/`;
    const { success, facts } = await attemptUntil(trickling.promise, url);
    expect({ success, error: facts.error }).toEqual({
      success: false,
      error: 'no answer within 1 s',
    });
    expect(facts.durationMs).toBe(deadlineMs);
  });

  it('if it accepts the connection and does nothing else', async () => {
    const taken = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      taken.resolve();
    });
    const url = `http://127.0.0.1:${await portOf(server)}/`;
    const { facts } = await attemptUntil(taken.promise, url);
    expect(facts.error).toBe('no answer within 1 s');
  });

  it('if the service stops: the attempt is aborted', async () => {
    const taken = Promise.withResolvers<void>();
    const url = await listen(() => taken.resolve());
    const stop = new AbortController();
    const gateway = { pools, allowPrivate: true, deadlineMs: patientMs };
    const delivery = { messageId: 'id', body: '{}', url, secrets: [newWebhookSecret()] };
    const send = createSend(gateway, stop.signal);
    const sent = send(delivery);
    await taken.promise;
    stop.abort();
    expect(await sent).toBe('aborted');
    expect(await send(delivery)).toBe('aborted');
  });

  it('if its body never ends: the status is the outcome', async () => {
    const url = await listen((_request, response) => {
      response.writeHead(200);
      forever(() => response.write('.'), 20);
    });
    const { success, facts } = await attemptUntil(headersRead(), url);
    expect({ success, status: facts.statusCode }).toEqual({ success: true, status: 200 });
  });

  it('if its body is huge: a KiB is stored, and little more is read (R14.12)', async () => {
    let written = 0;
    const url = await listen((_request, response) => {
      response.writeHead(500);
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
      };
      response.on('drain', flood);
      flood();
    });
    const { facts } = await attempt(url, patientMs);
    expect(facts).toMatchObject({ statusCode: 500, answer: 'x'.repeat(1_024) });
    // This is what the kernel buffered, not all that the endpoint would have sent.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it('if its headers are huge', async () => {
    const url = await listen((_request, response) =>
      response.writeHead(200, { 'x-flood': 'x'.repeat(64 * 1024) }).end(),
    );
    const { success, facts } = await attempt(url, patientMs);
    expect({ success, error: facts.error }).toEqual({
      success: false,
      error: 'the answer has too many headers',
    });
  });
});

describe('over TLS', () => {
  const certificate = selfSigned('merchant.example');
  const before = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...before, certificate.cert]));
  afterAll(() => setDefaultCACertificates(before));

  const listenTls = async (identity = certificate) => {
    const hosts: string[] = [];
    const server = createHttpsServer(identity, (request, response) => {
      hosts.push(request.headers.host ?? '');
      response.writeHead(204).end();
    });
    onTestFinished(() => server.closeAllConnections());
    return { port: await portOf(server), hosts };
  };

  it('a message is sent to the host of the certificate', async () => {
    const { port, hosts } = await listenTls();
    expect(await attempt(`https://merchant.example:${port}/`, patientMs)).toMatchObject({
      success: true,
    });
    expect(hosts).toEqual([`merchant.example:${port}`]);
  });

  it.each(['other.example', 'sub.merchant.example', 'merchant.example.evil.example', '127.0.0.1'])(
    'a message is not sent to %s with that certificate',
    async (host) => {
      const { port, hosts } = await listenTls();
      const { success, facts } = await attempt(`https://${host}:${port}/`, patientMs);
      expect({ success, error: facts.error }).toEqual({
        success: false,
        error: 'the certificate is of another host',
      });
      expect(hosts).toEqual([]);
    },
  );

  it('a message is not sent to a host with an untrusted certificate', async () => {
    const { port, hosts } = await listenTls(selfSigned('merchant.example'));
    const { success, facts } = await attempt(`https://merchant.example:${port}/`, patientMs);
    expect({ success, error: facts.error }).toEqual({
      success: false,
      error: 'the certificate is not one to trust',
    });
    expect(hosts).toEqual([]);
  });
});
