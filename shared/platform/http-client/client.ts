import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';

export type HttpRequest = {
  method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
};

/** What becomes of one request: the response in parts until its end, or an error. */
export type ResponseHandler = {
  /** The status of the final response. */
  onStatus(status: number, headers: IncomingHttpHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** There is no response, or only a part of it. */
  onError(error: Error): void;
};

/** Requests to one origin, over connections that are reused. */
export type HttpClient = {
  /** Returns what ends the request at once; its handler is not called after that. */
  send(request: HttpRequest, handler: ResponseHandler): () => void;
  /** Ends every request and connection at once. */
  close(): Promise<void>;
};

/** Decides where connections may go. */
export type ConnectionGuard = {
  /** Why no connection may be opened, as far as that is known without resolving the host. */
  refuseHost(protocol: string, host: string): Error | undefined;
  refuseAddress(address: string): Error | undefined;
  lookup: LookupFunction;
};

type Options = { maxConnections: number; guard?: ConnectionGuard };

const connectTimeoutMs = 10_000;
/** For each address of a host but the last; Node's 250 ms is less than a distant one takes. */
const attemptTimeoutMs = 2_500;
/** How long a server without a keep-alive hint is expected to wait for the next request. */
const idleTimeoutMs = 4_000;
const maxHeaderBytes = 16 * 1024;
const maxInterimResponses = 64;

/**
 * HTTP/1.1 without redirects, proxies and retries. Interim responses (1xx) are skipped, whether or
 * not they were requested (RFC 9110, 15.2). The time of a request is the caller's to bound.
 */
export function createHttpClient(origin: string, { maxConnections, guard }: Options): HttpClient {
  const { protocol, hostname, port } = new URL(origin);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const isTls = protocol === 'https:';
  const makeRequest = isTls ? httpsRequest : httpRequest;
  const agent = createAgent(isTls, { maxConnections, ...(guard && { guard }) });
  const target = { agent, host, ...(port !== '' && { port }), maxHeaderSize: maxHeaderBytes };
  /** Ends each request in progress with the error. */
  const inProgress = new Set<(error: Error) => void>();
  let closed = false;

  return {
    send: ({ method, path, headers, body }, handler) => {
      const refusal = closed ? clientClosed() : guard?.refuseHost(protocol, host);
      if (refusal) {
        handler.onError(refusal);
        return () => undefined;
      }
      let outgoing: ClientRequest;
      try {
        outgoing = makeRequest({ ...target, method, path, headers });
      } catch (error) {
        handler.onError(error as Error);
        return () => undefined;
      }
      const stop = follow(outgoing, handler, (end) => {
        inProgress.add(end);
        return () => void inProgress.delete(end);
      });
      outgoing.end(body);
      return stop;
    },
    close: () => {
      closed = true;
      for (const end of inProgress) end(clientClosed());
      agent.destroy();
      return Promise.resolve();
    },
  };
}

/** Passes the response on. Returns what ends the request without another call of the handler. */
function follow(
  outgoing: ClientRequest,
  handler: ResponseHandler,
  begin: (end: (error: Error) => void) => () => void,
): () => void {
  let over = false;
  let responded = false;
  let interimResponses = 0;
  const settle = () => {
    over = true;
    finished();
  };
  const fail = (error: Error) => {
    if (over) return;
    settle();
    handler.onError(error);
  };
  const stop = () => {
    if (over) return;
    settle();
    outgoing.destroy();
  };
  const end = (error: Error) => {
    if (over) return;
    stop();
    handler.onError(error);
  };
  const finished = begin(end);
  const countInterim = () => {
    interimResponses += 1;
    if (interimResponses > maxInterimResponses)
      end(failure('too many interim responses', 'ERR_INTERIM_OVERFLOW'));
  };

  outgoing.on('continue', countInterim);
  outgoing.on('information', countInterim);
  outgoing.on('error', fail);
  // After an unrequested switch of protocols (101) there is no error and no response.
  outgoing.on('close', () => {
    if (!responded) fail(failure('the connection was closed', 'ECONNRESET'));
  });
  outgoing.on('response', (incoming: IncomingMessage) => {
    responded = true;
    if (over) return;
    handler.onStatus(incoming.statusCode ?? 0, incoming.headers);
    incoming.on('data', (chunk: Buffer) => {
      if (!over) handler.onData(chunk);
    });
    incoming.on('end', () => {
      if (over) return;
      settle();
      // Nobody reads the rest of the body any more, and its connection would stay busy for ever.
      if (!outgoing.writableFinished) outgoing.destroy();
      handler.onEnd();
    });
    incoming.on('error', fail);
  });
  return stop;
}

function createAgent(isTls: boolean, { maxConnections, guard }: Options): HttpAgent {
  const options = {
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxConnections,
    timeout: idleTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    ...(guard && { lookup: guard.lookup }),
  };
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...arguments_) => {
    const socket = connect(...arguments_) as Socket;
    const timer = setTimeout(
      () => socket.destroy(failure('no connection in time', 'ETIMEDOUT')),
      connectTimeoutMs,
    );
    const stopTimer = () => clearTimeout(timer);
    socket.once(isTls ? 'secureConnect' : 'connect', stopTimer);
    socket.once('close', stopTimer);
    // Before anything is written.
    socket.prependOnceListener('connect', () => {
      const refusal = guard?.refuseAddress(socket.remoteAddress ?? '');
      if (refusal) socket.destroy(refusal);
    });
    return socket;
  };
  return agent;
}

const failure = (message: string, code: string): Error =>
  Object.assign(new Error(message), { code });

const clientClosed = () => failure('the client is closed', 'ERR_CLIENT_CLOSED');
