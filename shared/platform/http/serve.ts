import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { answerBrokenRequests } from './broken-requests.ts';
import { limitChunks } from './chunk-limit.ts';
import { trackConnections } from './connections.ts';
import { closeAfterAnswers, drain } from './drain.ts';
import type { RefuseEarly } from './early-refusal.ts';
import { connectionsThatFit } from './open-files.ts';
import { oneAtATime } from './pipelining.ts';
import { Problem, renderProblem, type RenderProblem } from './problems.ts';
import { cutSlowReaders } from './slow-readers.ts';

export type RunningServer = {
  port: number;
  /**
   * Answers readiness with 503 and closes each connection after its response; requests are still
   * served.
   */
  leave(): void;
  close(): Promise<void>;
};

/** Limits on the time of one connection and on the number of connections. */
export type ConnectionLimits = {
  headersTimeoutMs: number;
  /** The whole request with its body: long enough for a receipt of 10 MiB over a mobile line. */
  requestTimeoutMs: number;
  /** How long a client may take to read the answer. */
  answerTimeoutMs: number;
  /** Longer than the usual minute of load balancers, so that they close idle connections first. */
  keepAliveTimeoutMs: number;
  maxConnections: number;
};

export const connectionLimits: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  answerTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 12_000,
};

export type ListenOptions = {
  port: number;
  host: string;
  limits?: ConnectionLimits;
  /**
   * Other instances on this machine listen on the same port (SO_REUSEPORT), and the kernel
   * distributes connections among them.
   */
  sharePort?: boolean;
  /** Renders the refusal of a request that never reaches the app. */
  render?: RenderProblem;
  /** How long requests in progress may take after `close`; 5 s by default. */
  drainMs?: number;
};

/** `refuseEarly` is called for each request before the app. */
export type ServedApp = Pick<Hono, 'fetch'> & { refuseEarly?: RefuseEarly | undefined };

/**
 * `.` or `..` in a path, in any spelling. The adapter would resolve them; a proxy that allows paths
 * by prefix does not: `/callbacks/../metrics` would pass it.
 */
const dotSegment = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** Listens. `close` accepts no more connections, and lets requests in progress end (drain.ts). */
export async function listen(
  app: ServedApp,
  {
    port,
    host,
    limits = connectionLimits,
    sharePort = false,
    render = renderProblem,
    drainMs = 5_000,
  }: ListenOptions,
): Promise<RunningServer> {
  let leaving = false;
  const fetch: typeof app.fetch = (request, env) => {
    if (leaving && /^\/(?:readyz|healthz)(?:\?|$)/.test(requestTarget(env)))
      return refuse(stopping(), renderProblem);
    // The adapter accepts a Host of digits and dots that is not an address, and its URL could not
    // be parsed.
    return URL.canParse(request.url) && !dotSegment.test(requestTarget(env)) && namesHost(env)
      ? app.fetch(request, env)
      : refuse(malformed(), render, incomingMessage(env)?.headers);
  };
  /**
   * The request that the adapter is reading: one that it can't read is refused in the same turn.
   */
  let reading: IncomingMessage | undefined;
  const listener = getRequestListener(fetch, {
    errorHandler: (error) => refuse(toRequestProblem(error), render, reading?.headers),
    // The host of an HTTP/1.0 request without one, such as a load balancer's health check; no host
    // check may take it for one of ours.
    hostname: 'host.invalid',
  });
  const http = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      // Node would answer without a body; `malformed` answers with a problem.
      requireHostHeader: false,
    },
    oneAtATime((incoming, outgoing) => {
      if (app.refuseEarly?.(incoming, outgoing)) return;
      reading = incoming;
      void listener(incoming, outgoing);
      reading = undefined;
    }),
  );
  http.maxConnections = Math.min(limits.maxConnections, connectionsThatFit());
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a body.
  http.on('checkExpectation', (incoming, outgoing) => http.emit('request', incoming, outgoing));
  const connections = trackConnections(http);
  answerBrokenRequests(http, connections, render);
  limitChunks(http);
  cutSlowReaders(http, connections, limits.answerTimeoutMs);
  http.listen({ port, host, reusePort: sharePort });
  await once(http, 'listening');
  return {
    port: (http.address() as AddressInfo).port,
    leave: () => {
      if (leaving) return;
      leaving = true;
      closeAfterAnswers(http, connections);
    },
    close: () => drain(http, connections, drainMs),
  };
}

const incomingMessage = (env: unknown): IncomingMessage | undefined =>
  (env as { incoming?: IncomingMessage } | undefined)?.incoming;

/** The request's target as it was sent. */
const requestTarget = (env: unknown): string => incomingMessage(env)?.url ?? '';

/** Whether the request has a Host, which HTTP/1.1 requires and HTTP/1.0 does not know. */
function namesHost(env: unknown): boolean {
  const incoming = incomingMessage(env);
  return Boolean(incoming?.headers.host) || incoming?.httpVersion === '1.0';
}

/** The adapter can't build a request: no Host or a malformed one, or an invalid request target. */
function toRequestProblem(error: unknown): Problem {
  const isRequest = error instanceof Error && error.name === 'RequestError';
  return isRequest ? malformed() : new Problem('internal_error', { cause: error });
}

/** Always a problem document: probes are programs. */
const stopping = () => new Problem('not_ready', { detail: 'the service is shutting down' });

const malformed = () =>
  new Problem('invalid_request', { detail: 'the Host header or the request target is malformed' });

function refuse(problem: Problem, render: RenderProblem, headers?: IncomingHttpHeaders): Response {
  const { body, ...init } = render(problem, { path: '/', requestId: randomUUID(), headers });
  return new Response(body, init);
}
