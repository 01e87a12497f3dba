import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { chunksTooSmall } from './chunk-limit.ts';
import type { Connections } from './connections.ts';
import { Problem, renderProblem, type RenderProblem } from './problems.ts';

/** How long the refusal of broken bytes waits for the answer to the request before them. */
const graceMs = 100;

/**
 * Answers what never becomes a request of the app, or breaks half way, with a problem like any
 * other: a malformed request line or header, headers over 16 KiB, a broken chunk, a request that
 * takes too long. All of it is 400 `invalid_request`, the one code for a request that can't be
 * read.
 */
export function answerBrokenRequests(
  server: Server,
  connections: Connections,
  render: RenderProblem = renderProblem,
): void {
  const refuse = (socket: Duplex, problem: Problem, of?: IncomingMessage) =>
    writeRefusal(socket, problem, (given, about) =>
      render(given, { ...about, headers: of?.headers }),
    );
  const broken = new WeakSet<Duplex>();
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuse(socket, new Problem('method_not_allowed', { detail: 'CONNECT is not supported here' }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Node reports each further byte of a broken connection again.
    if (broken.has(socket)) return;
    broken.add(socket);
    const hasRequest = 'bytesRead' in socket && socket.bytesRead !== 0;
    if (error.code === 'ECONNRESET' || !socket.writable || !hasRequest)
      return void socket.destroy();
    const problem = new Problem('invalid_request', { detail: errorDetail(error) });
    const { outgoing, before } = connections.get(socket) ?? {};
    if (!outgoing) return refuse(socket, problem);
    if (before?.writableFinished === false) before.once('close', () => refuseAfter(outgoing));
    else refuseAfter(outgoing);

    function refuseAfter(newest: ServerResponse): void {
      // Either this request is broken, or the one after it on the connection.
      const isComplete = newest.req.complete;
      const next = () => (isComplete ? refuse(socket, problem, newest.req) : close(socket));
      if (newest.writableFinished) return next();
      newest.once('finish', next);
      if (isComplete) return;
      // The app has the request's head already: its own refusal, such as a missing key, comes
      // first.
      const timer = setTimeout(() => {
        newest.off('finish', next);
        if (newest.headersSent) close(socket);
        else refuse(socket, problem, newest.req);
      }, graceMs);
      newest.once('finish', () => clearTimeout(timer));
    }
  });
}

/**
 * Closes once everything written is sent, so that a client that continues to send does not hold the
 * connection.
 */
function close(socket: Duplex): void {
  socket.end(() => socket.destroy());
}

const details: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the request line and the headers together are limited to 16 KiB',
  HPE_INVALID_METHOD: 'the method is not known',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'chunk extensions are limited to 16 KiB',
  HPE_INVALID_CHUNK_SIZE: 'the chunked body is malformed',
  [chunksTooSmall]: 'the body comes in too many small chunks',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request took too long to arrive',
};

function errorDetail({ code = '' }: NodeJS.ErrnoException): string {
  return details[code] ?? 'the request is not valid HTTP/1.1';
}

function writeRefusal(socket: Duplex, problem: Problem, render: RenderProblem): void {
  const { status, headers, body } = render(problem, { path: '/', requestId: randomUUID() });
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
  close(socket);
}
