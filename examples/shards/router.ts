import { hash } from 'node:crypto';
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { LRUCache } from 'lru-cache';

/** A whole gateway, for some of the shops. */
export type Shard = {
  /** Part of the URL of its providers' callbacks. */
  readonly name: string;
  /** Where its merchant API, its payment page and its processor listen. */
  readonly api: string;
  readonly pay: string;
  readonly callbacks: string;
};

/** The request that shows whether something belongs to a shard. */
type Question = { path: string; headers?: Record<string, string> };
type Found = Shard | 'none' | 'unknown';

const remembered = 100_000;
/** Each key that no shard has asks all of them: not more often than this. */
const unknownForMs = 10_000;
const answerWithinMs = 5_000;
const ofApi = /^\/(?:v1|docs|receipts|\.well-known)(?:\/|$)/;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/**
 * Sends each request to the shard that it belongs to: by its API key, by the operation in the
 * path of a payment page or a receipt, and by the shard's name in that of a callback. It keeps no
 * table: it asks the shards, and remembers what they answered.
 */
export function createRouter(shards: readonly Shard[]): Server {
  const owners = new LRUCache<string, Exclude<Found, 'unknown'>>({ max: remembered });

  async function ownerOf(
    what: string,
    ask: (shard: Shard) => Promise<number>,
    others: readonly number[] = ofOthers,
  ): Promise<Found> {
    const cachedOwner = owners.get(what);
    if (cachedOwner) return cachedOwner;
    const answers = await Promise.all(shards.map((shard) => ask(shard).catch(() => 503)));
    const owner = shards.find((_, at) => isOwner(answers[at] ?? 503, others));
    if (owner) owners.set(what, owner);
    else if (answers.some((status) => status >= 500)) return 'unknown';
    // Not of a receipt: a wrong link must not hide the right one.
    else if (others === ofOthers) owners.set(what, 'none', { ttl: unknownForMs });
    return owner ?? 'none';
  }

  function find(url: URL, key: string | undefined): Promise<Found> | Found {
    if (ofApi.test(url.pathname) && key !== undefined) {
      const probe = { path: '/v1/balances', headers: { 'x-api-key': key } };
      return ownerOf(hash('sha256', key), ({ api }) => statusOf(api, probe));
    }
    const operation = uuid.exec(url.pathname)?.[0];
    if (operation === undefined) return 'none';
    if (url.pathname.startsWith('/receipts/'))
      return ownerOf(
        `receipt ${operation}`,
        ({ api }) => statusOf(api, { path: url.pathname + url.search }),
        ofOthersReceipts,
      );
    return ownerOf(operation, ({ pay }) => statusOf(pay, { path: `/${operation}` }));
  }

  return createServer((incoming, outgoing) => {
    const route = async () => {
      const url = new URL(incoming.url ?? '/', 'http://router');
      const [, callbacks, name = '', rest = ''] =
        /^\/(callbacks)\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
      if (callbacks) {
        const shard = shards.find((each) => each.name === name);
        return shard
          ? pass(incoming, outgoing, new URL(`/callbacks${rest}${url.search}`, shard.callbacks))
          : refuse(outgoing, 404);
      }
      const { 'x-api-key': key } = incoming.headers;
      const found = await find(url, typeof key === 'string' ? key : undefined);
      if (found === 'unknown') return refuse(outgoing, 503);
      // What no shard knows is any shard's to refuse, and documents are the same everywhere.
      const shard = found === 'none' ? shards[0] : found;
      if (!shard) return refuse(outgoing, 503);
      const base = ofApi.test(url.pathname) ? shard.api : shard.pay;
      return pass(incoming, outgoing, new URL(url.pathname + url.search, base));
    };
    route().catch(() => refuse(outgoing, 503));
  });
}

/** Only the owner of a key or an operation answers anything but these; 429 is an answer too. */
const ofOthers = [401, 404];
/** A link to a receipt is signed with the secret of its shard. */
const ofOthersReceipts = [...ofOthers, 403];

const isOwner = (status: number, others: readonly number[]): boolean =>
  status < 500 && !others.includes(status);

async function statusOf(base: string, { path, headers = {} }: Question): Promise<number> {
  const signal = AbortSignal.timeout(answerWithinMs);
  const response = await fetch(new URL(path, base), { headers, signal, redirect: 'manual' });
  await response.body?.cancel();
  return response.status;
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, to: URL): void {
  const { remoteAddress = '' } = incoming.socket;
  const headers = { ...incoming.headers, 'x-forwarded-for': remoteAddress };
  const onward = request(to, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => refuse(outgoing, 503));
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

function refuse(outgoing: ServerResponse, status: 404 | 503): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const code = status === 404 ? 'not_found' : 'not_ready';
  const body = JSON.stringify({ type: 'about:blank', title: code, status, code });
  const more = status === 503 ? { 'retry-after': '1' } : {};
  outgoing.writeHead(status, { 'content-type': 'application/problem+json', ...more }).end(body);
}
