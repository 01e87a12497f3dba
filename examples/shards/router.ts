import { hash } from 'node:crypto';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { json } from 'node:stream/consumers';
import { retryAfterSeconds } from '#shared/platform/http/retry-after.ts';
import {
  createOwners,
  requestShard,
  ofOthers,
  ofOthersReceipts,
  type Probe,
  type Shard,
} from './owners.ts';

export type { Shard };

const ofApi = /^\/(?:v1|docs|openapi\.json|receipts|\.well-known)(?:\/|$)/;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const checkpointKeys = '/.well-known/checkpoint-keys';

/**
 * Sends each request to the shard that it belongs to: by its API key, by the operation in the
 * path of a payment page or a receipt, and by the shard's name in that of a callback. It has no
 * table: it sends probes to the shards, and caches the owner. A client's text is only ever the path
 * of a request to a shard, and never decides the host.
 */
export function createRouter(
  shards: readonly Shard[],
  options: { now?: () => number } = {},
): Server {
  const owners = createOwners(shards, options);

  async function route(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url: target = '/' } = incoming;
    // An absolute URL, or `*`: not of this host.
    if (!target.startsWith('/')) return refuse(outgoing, 400);
    const [path = ''] = target.split('?', 1);
    const [, name, rest = ''] = /^\/callbacks\/([^/?]+)(\/.*)$/.exec(target) ?? [];
    if (name !== undefined) {
      const shard = shards.find((each) => each.name === name);
      if (!shard) return refuse(outgoing, 404);
      return pass(incoming, outgoing, { base: shard.callbacks, path: `/callbacks${rest}` });
    }
    if (path === checkpointKeys && /^(GET|HEAD)$/.test(incoming.method ?? ''))
      return answerCheckpointKeys(shards, outgoing, forwardAddress(incoming));
    const probe = planProbe(incoming, path, target);
    const owner = probe ? await owners.find(probe) : 'none';
    if (owner === 'unknown') return refuse(outgoing, 503);
    // Any shard can refuse an unknown key, and documents are the same everywhere.
    const shard = owner === 'none' ? shards[0] : owner;
    if (!shard) return refuse(outgoing, 503);
    return pass(incoming, outgoing, {
      base: ofApi.test(path) ? shard.api : shard.pay,
      path: target,
      onStatus: (status) => {
        // It may have moved.
        if (probe && owner !== 'none' && ofOthers.includes(status)) owners.forget(probe);
      },
    });
  }

  return createServer((incoming, outgoing) => {
    route(incoming, outgoing).catch(() => refuse(outgoing, 503));
  });
}

/** Of all shards, because the verifier of a statement does not know which one has signed it. */
async function answerCheckpointKeys(
  shards: readonly Shard[],
  outgoing: ServerResponse,
  headers: IncomingHttpHeaders,
): Promise<void> {
  const lists = await Promise.all(
    shards.map(async ({ api, name }) => {
      const response = await requestShard(api, { path: checkpointKeys, headers });
      if (response.statusCode !== 200) throw new Error(`${name} answers no keys`);
      return ((await json(response)) as { keys: unknown[] }).keys;
    }),
  );
  outgoing
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ keys: lists.flat() }));
}

/** Undefined without a key and an operation. */
function planProbe(incoming: IncomingMessage, path: string, target: string): Probe | undefined {
  const { 'x-api-key': key } = incoming.headers;
  const headers = forwardAddress(incoming);
  if (ofApi.test(path) && typeof key === 'string')
    return {
      name: hash('sha256', key),
      server: 'api',
      path: '/v1/balances',
      headers: { ...headers, 'x-api-key': key },
      others: ofOthers,
    };
  const operation = uuid.exec(path)?.[0];
  if (operation === undefined) return undefined;
  return path.startsWith('/receipts/')
    ? {
        name: `receipt ${operation}`,
        server: 'api',
        path: target,
        headers,
        others: ofOthersReceipts,
      }
    : { name: operation, server: 'pay', path: `/${operation}`, headers, others: ofOthers };
}

/** So that shards limit the client, and not this proxy. */
function forwardAddress({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const before = headers['x-forwarded-for'] ?? [];
  return { 'x-forwarded-for': [before, socket.remoteAddress ?? 'unknown'].flat().join(', ') };
}

type Onward = { base: string; path: string; onStatus?: (status: number) => void };

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { base, path, onStatus }: Onward,
): void {
  const { method } = incoming;
  const headers = { ...incoming.headers, ...forwardAddress(incoming) };
  const onward = request(base, { method, path, headers }, (answer) => {
    const { statusCode = 502 } = answer;
    onStatus?.(statusCode);
    outgoing.writeHead(statusCode, answer.headers);
    // An answer that breaks off must neither look complete nor be waited for.
    pipeline(answer, outgoing, () => undefined);
  });
  onward.on('error', () => refuse(outgoing, 503));
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

const codes = { 400: 'invalid_request', 404: 'not_found', 503: 'not_ready' } as const;

function refuse(outgoing: ServerResponse, status: keyof typeof codes): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const code = codes[status];
  const body = JSON.stringify({ type: 'about:blank', title: code, status, code });
  const more = status === 503 ? { 'retry-after': String(retryAfterSeconds(1_000)) } : {};
  outgoing.writeHead(status, { 'content-type': 'application/problem+json', ...more }).end(body);
}
