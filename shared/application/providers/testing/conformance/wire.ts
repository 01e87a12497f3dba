import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import {
  createHttpClient,
  type HttpClient,
  type HttpRequest,
} from '#shared/platform/http-client/client.ts';

/** A response of the provider, unparsed. */
type Answer = { status: number; headers: Record<string, string>; body: Buffer };
type Respond = (response: ServerResponse, answer: Answer, incoming: IncomingMessage) => void;

/** An injected fault. `reaches`: the provider receives the request nevertheless. */
type Fault = { name: string; reaches: boolean; silent: boolean; respond: Respond };

const html = '<html><body>Something went wrong</body></html>';
const respondWith =
  (
    status: number,
    headers: Record<string, string> = { 'content-type': 'text/html' },
    body = html,
  ): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(body);
const hang: Respond = () => undefined;
const reset: Respond = (_response, _answer, { socket }) => void socket.resetAndDestroy();

const before = (name: string, respond: Respond, silent = false): Fault => ({
  name,
  reaches: false,
  silent,
  respond,
});
const after = (name: string, respond: Respond, silent = false): Fault => ({
  name,
  reaches: true,
  silent,
  respond,
});

/** Either the request or its response is lost: the caller cannot distinguish them. */
export const faults: readonly Fault[] = [
  before('a reset before arrival', reset),
  after('a reset instead of a response', reset),
  before('silence', hang, true),
  after('silence after arrival', hang, true),
  after(
    'headers without a body',
    (response, { status, headers }) => {
      response.writeHead(status, headers).flushHeaders();
    },
    true,
  ),
  after('a trickling response', trickle, true),
  after('a truncated response', halve),
  after('an empty response', (response, { status, headers }) => {
    response.writeHead(status, { 'content-type': headers['content-type'] ?? '' }).end();
  }),
  after('a response of another content type', (response, { status, body }) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  }),
  after('HTML with the content type of a response', (response, { status, headers }) => {
    response.writeHead(status, { 'content-type': headers['content-type'] ?? '' }).end(html);
  }),
  after('a response of invalid UTF-8', (response, { status, headers }) => {
    const body = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(html)]);
    response.writeHead(status, { 'content-type': headers['content-type'] ?? '' }).end(body);
  }),
  after('an endless response', endless),
  ...[500, 502, 503, 504].map((status) => after(`a ${status} of a proxy`, respondWith(status))),
  ...[400, 401, 403, 404, 409, 422, 429].map((status) =>
    before(`a ${status} of a proxy`, respondWith(status)),
  ),
  before('a redirect', respondWith(302, { location: 'http://127.0.0.1:9/' }, '')),
  before('a 204', respondWith(204, {}, '')),
];

function trickle(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length + 10_000) });
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

function halve(
  response: ServerResponse,
  { status, headers, body }: Answer,
  { socket }: IncomingMessage,
): void {
  response.writeHead(status, { ...headers, 'content-length': String(body.length) });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket.end());
}

function endless(response: ServerResponse, { status, headers }: Answer): void {
  const { 'content-length': _, ...rest } = headers;
  response.writeHead(status, rest);
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 0x20)));
  };
  response.on('drain', more);
  more();
}

type Matches = (request: { method: string; path: string }) => boolean;
/** `late`: the request gets no response, and is delivered only by `lateArrives`. */
type Planted = { fault: Fault | 'late'; matches: Matches; met: AbortController };

export type Wire = Awaited<ReturnType<typeof startWire>>;

/** A proxy between a connector and its provider that injects faults. */
export async function startWire(target: string) {
  const { origin, pathname } = new URL(target);
  const provider = createHttpClient(origin, { maxConnections: 64 });
  let planted: Planted | undefined;
  let broken = 0;
  const late: (() => Promise<void>)[] = [];

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = incoming;
    const body = await buffer(incoming);
    const meets = planted?.matches({ method, path }) ? planted : undefined;
    const hit = meets?.fault;
    if (hit) broken += 1;
    if (hit === 'late') {
      incoming.socket.resetAndDestroy();
      late.push(() =>
        send(provider, incoming, body).then(
          () => undefined,
          () => undefined,
        ),
      );
      return;
    }
    const nothing = { status: 200, headers: {}, body: Buffer.alloc(0) };
    const answer =
      hit && !hit.reaches ? nothing : await send(provider, incoming, body).catch(() => undefined);
    if (!answer) incoming.socket.destroy();
    else if (hit) hit.respond(response, answer, incoming);
    else response.writeHead(answer.status, answer.headers).end(answer.body);
    meets?.met.abort();
  }

  const server = await openServer((incoming, response) => void pass(incoming, response));
  return {
    url: `${server.url}${pathname === '/' ? '' : pathname}`,
    /**
     * Injects the fault into matching requests during the work; returns the result and the number
     * of faults. The signal aborts at the first one, so that the work need not wait for a response.
     */
    breaking: async <T>(
      fault: Planted['fault'],
      work: (met: AbortSignal) => Promise<T>,
      matches: Matches = () => true,
    ) => {
      const met = new AbortController();
      planted = { fault, matches, met };
      broken = 0;
      try {
        return { result: await work(met.signal), broken };
      } finally {
        planted = undefined;
      }
    },
    /** Delivers the late requests; resolves once they are answered. */
    lateArrives: async () => void (await Promise.all(late.splice(0).map((arrive) => arrive()))),
    stop: async () => {
      await provider.close();
      await server.close();
    },
  };
}

/** Forwards a request to the provider. */
function send(
  provider: HttpClient,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Answer> {
  const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...rest } = headers;
  const request: HttpRequest = {
    method: (method ?? 'GET') as 'GET',
    path: url ?? '/',
    headers: rest as Record<string, string>,
    ...(body.length > 0 && { body }),
  };
  return new Promise((resolve, reject) => {
    const answer: Answer = { status: 0, headers: {}, body: Buffer.alloc(0) };
    const chunks: Buffer[] = [];
    provider.send(request, {
      onStatus: (status, all) => {
        const { 'transfer-encoding': _, connection: __, 'keep-alive': ___, ...given } = all;
        Object.assign(answer, { status, headers: given });
      },
      onData: (chunk) => void chunks.push(chunk),
      onEnd: () => resolve({ ...answer, body: Buffer.concat(chunks) }),
      onError: reject,
    });
  });
}
