import http from 'node:http';
import http2 from 'node:http2';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import net from 'node:net';
import { DEFAULT_KEEP_ALIVE, keepAlive } from './keep-alive.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { JsonAnswer } from './routes.ts';

type Handlers = {
  /** A gRPC call. */
  readonly onCall: (stream: ServerHttp2Stream, path: string) => void;
  /** A plain request, over either version of HTTP. */
  readonly onRequest: (method: string, url: string) => JsonAnswer;
  readonly keepAlive?: KeepAlive | undefined;
  /** Which connections are accepted; unset: all. */
  readonly admits?: ((socket: net.Socket) => boolean) | undefined;
};

type Front = {
  readonly port: number;
  /** Accepts no more connections, closes idle ones, and destroys the others after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
};

// Every HTTP/2 connection begins with this preface. HTTP/1 has no method `PRI`, but other methods
// begin with P.
const HTTP2_FIRST_BYTE = 'P'.charCodeAt(0);
const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const FIRST_BYTES_TIMEOUT_MS = 10_000;
const WINDOW_BYTES = 4 * 1024 * 1024;
const STREAM_WINDOW_BYTES = 1024 * 1024;
const MAX_CONCURRENT_CALLS = 10_000;
const MAX_SESSION_MEGABYTES = 512;
// To protect the server, Node closes connections whose client cancels more than 33 calls a second.
// But clients that end their reads early are no attackers.
const RESETS_PER_SECOND = 10_000;

/** Listens for both versions of HTTP on one plain-text port, as the real server does. */
export async function startFront(host: string, port: number, handlers: Handlers): Promise<Front> {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<net.Socket>();
  const http1 = http.createServer((request, response) => {
    const answer = handlers.onRequest(request.method ?? '', request.url ?? '');
    const body = encodeBody(answer);
    response.writeHead(answer.status, body === undefined ? {} : JSON_HEADERS);
    response.end(body);
  });
  const h2 = http2.createServer({
    maxSessionMemory: MAX_SESSION_MEGABYTES,
    streamResetBurst: RESETS_PER_SECOND,
    streamResetRate: RESETS_PER_SECOND,
    settings: {
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxConcurrentStreams: MAX_CONCURRENT_CALLS,
    },
  });
  h2.on('session', (session) => {
    sessions.add(session);
    session.setLocalWindowSize(WINDOW_BYTES);
    keepAlive(session, handlers.keepAlive ?? DEFAULT_KEEP_ALIVE);
    session.on('error', () => session.destroy());
    session.on('close', () => sessions.delete(session));
  });
  h2.on('stream', (stream, headers) => onStream(stream, headers, handlers));

  const server = net.createServer({ noDelay: true }, (socket) => {
    if (handlers.admits?.(socket) === false) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    choose(socket, { http1, h2 });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

  return {
    port: (server.address() as net.AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const session of sessions) session.close();
      http1.closeIdleConnections();
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * Reads a connection's first bytes, and passes it with them to the server for its version of HTTP.
 */
function choose(socket: net.Socket, servers: { http1: http.Server; h2: http2.Http2Server }): void {
  let held = Buffer.alloc(0);
  socket.setTimeout(FIRST_BYTES_TIMEOUT_MS, () => socket.destroy());
  const onReadable = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    held = Buffer.concat([held, chunk]);
    const mayBeHttp2 = held[0] === HTTP2_FIRST_BYTE && startsAs(held, HTTP2_PREFACE);
    if (mayBeHttp2 && held.length < HTTP2_PREFACE.length) return;
    socket.off('readable', onReadable);
    socket.setTimeout(0);
    socket.removeAllListeners('timeout');
    socket.unshift(held);
    (mayBeHttp2 ? servers.h2 : servers.http1).emit('connection', socket);
  };
  socket.on('readable', onReadable);
}

function startsAs(bytes: Buffer, expected: Buffer): boolean {
  const length = Math.min(bytes.length, expected.length);
  return bytes.subarray(0, length).equals(expected.subarray(0, length));
}

const JSON_HEADERS = { 'content-type': 'application/json' };

function encodeBody({ body }: JsonAnswer): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

function onStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  handlers: Handlers,
): void {
  const path = headers[':path'] ?? '';
  if (headers['content-type']?.startsWith('application/grpc') === true) {
    handlers.onCall(stream, path);
    return;
  }
  stream.on('error', () => undefined);
  const answer = handlers.onRequest(headers[':method'] ?? '', path);
  const body = encodeBody(answer);
  stream.respond({ ':status': answer.status, ...(body === undefined ? {} : JSON_HEADERS) });
  stream.end(body);
}
