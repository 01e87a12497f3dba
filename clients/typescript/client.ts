import { endpoints, type Answers, type ConfirmPayment, type Requests } from './api.ts';
import type { Result } from './failures.ts';
import { repeat, type Clock, type Retry } from './repeat.ts';

export type EndpointId = keyof typeof endpoints;
export type ProblemsOf<Id extends EndpointId> = (typeof endpoints)[Id]['problems'][number];

export type CallOptions = {
  /**
   * Ends the call, which then rejects with the signal's reason. What was sent already may still be
   * carried out.
   */
  signal?: AbortSignal;
  /** The whole call, with every attempt and pause. */
  deadlineMs?: number;
  /** Sent as `X-Request-Id` with every attempt; letters, digits, `.`, `_` and `-`, at most 64. */
  requestId?: string;
};

type Call<Id extends EndpointId> = (
  ...args: Requests[Id] extends undefined
    ? [options?: CallOptions]
    : [request: Requests[Id], options?: CallOptions]
) => Promise<Result<Answers[Id], ProblemsOf<Id>>>;

/** One method for each endpoint that a key is for, under its name in the document. */
export type Client = { readonly [Id in EndpointId]: Call<Id> };

export type ClientOptions = {
  /** Where the gateway is: `https://gateway.example`, or `http:` on this machine. */
  baseUrl: string;
  apiKey: string;
  /** The whole of a call; 60 s. A create alone may take the 15 s that providers are waited for. */
  deadlineMs?: number;
  /** The longest wait of one attempt, for its answer or for the next part of it; 20 s. */
  attemptMs?: number;
  /** Permits `http:` to another machine, where something else protects the key on its way. */
  allowHttp?: boolean;
  /** Called before every retry. */
  onRetry?: (retry: Retry) => void;
  /** Another `fetch`, such as one with a proxy or a pool of its own. */
  fetch?: typeof fetch;
  /** Time and randomness, for tests. */
  clock?: Clock;
};

/** POST endpoints that only read: safe to repeat after any failure. */
const readsByPost: ReadonlySet<EndpointId> = new Set<EndpointId>(['getOperationState']);

/** What would be another change the second time. */
const once: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'createWebhookEndpoint',
  'deleteWebhookEndpoint',
  'rotateWebhookSecret',
]);

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', stop, { once: true });
    const timer = setTimeout(resolve, ms);
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    });
  },
  random: Math.random,
};

/**
 * A client of the merchant API. A call is repeated until it has a final answer, or its deadline has
 * passed; a refusal is a value with a code.
 * @throws when the options can't work; the text never shows the key
 */
export function createClient(options: ClientOptions): Client {
  const { deadlineMs = 60_000, attemptMs = 20_000, clock = realClock, onRetry } = options;
  const origin = validateBaseUrl(options);
  const key = validateApiKey(options);
  const send = options.fetch ?? fetch;

  const call = async (id: EndpointId, sent: object, given: CallOptions = {}) => {
    const { method, answers, problems } = endpoints[id];
    const { path, ...body } = written(id, sent as Fields);
    const requestId = given.requestId ?? crypto.randomUUID();
    const headers = {
      accept: answers.as === 'csv' ? 'text/csv' : 'application/json',
      'x-api-key': key,
      'x-request-id': requestId,
      ...(body.contentType !== undefined && { 'content-type': body.contentType }),
    };
    const init = { method, headers, ...(body.body !== undefined && { body: body.body }) };
    const request = { url: `${origin}${path}`, init, answers, codes: problems };
    const reads = method === 'GET' || readsByPost.has(id);
    const sending = { request, requestId, reads, once: once.has(id), send, clock, onRetry };
    const patience = {
      deadlineMs: given.deadlineMs ?? deadlineMs,
      attemptMs,
      signal: given.signal,
    };
    return repeat(sending, patience);
  };

  const createMethod =
    (id: EndpointId) =>
    (...args: readonly [object?, CallOptions?]) =>
      endpoints[id].sends === 'nothing' ? call(id, {}, args[0]) : call(id, args[0] ?? {}, args[1]);
  const ids = Object.keys(endpoints) as EndpointId[];
  // OpenAPI defines each endpoint's request and response; the gateway's tests hold it to the
  // document.
  return Object.fromEntries(ids.map((id) => [id, createMethod(id)])) as Client;
}

type Fields = Readonly<Record<string, unknown>>;
type Written = { path: string; body?: string | Blob | FormData; contentType?: string };

/** Written once, so that every attempt sends the same bytes. */
function written(id: EndpointId, given: Fields): Written {
  const { path: template, sends } = endpoints[id];
  const named = new Set<string>();
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    named.add(name);
    return encodeURIComponent(String(given[name]));
  });
  const fields = Object.fromEntries(Object.entries(given).filter(([name]) => !named.has(name)));
  switch (sends) {
    case 'json':
      return { path, body: JSON.stringify(fields), contentType: 'application/json' };
    case 'form':
      return { path, body: toForm(fields as ConfirmPayment) };
    case 'csv':
      return { path, body: fields['file'] as string | Blob, contentType: 'text/csv' };
    case 'query':
      return { path: `${path}${toQuery(fields as Parameters<typeof toQuery>[0])}` };
    case 'path':
    case 'nothing':
      return { path };
  }
}

function toQuery(fields: Readonly<Record<string, string | number | undefined>>): string {
  const sent = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return sent.length === 0 ? '' : `?${new URLSearchParams(sent).toString()}`;
}

function toForm({ receipt, ...fields }: ConfirmPayment): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('receipt', receipt, 'receipt.pdf');
  return form;
}

function validateBaseUrl({ baseUrl, allowHttp = false }: ClientOptions): string {
  const url = new URL(baseUrl);
  const here = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (here || allowHttp))) {
    throw new Error('baseUrl must be https: the API key is for nobody else to read');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Error('baseUrl must be an address without user, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

function validateApiKey({ apiKey }: ClientOptions): string {
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new Error('apiKey is empty or has characters that no key has');
  return apiKey;
}
