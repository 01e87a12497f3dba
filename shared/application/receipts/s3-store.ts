import { AwsClient } from 'aws4fetch';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient } from '#shared/platform/http-client/client.ts';
import { exchange, type HttpAnswer } from '#shared/platform/http-client/exchange.ts';
import type { ErasableReceiptStore, ListedFile } from './receipt-store.ts';

export type S3Settings = {
  endpoint: string;
  region: string;
  bucket: string;
  /** The prefix of every key, without slashes at its ends; may be empty. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** For one try. */
  timeoutMs?: number;
  /** What errors call it. */
  name?: string;
  /** Pages of a thousand keys each, as S3 has them. */
  maxPages?: number;
};

const tries = 3;
const pauseMs = 100;
/** 409: another conditional write of the same key is in progress. */
const passing: ReadonlySet<number> = new Set([409, 429]);
const maxConnections = 64;
/** More than the size of a receipt or of a page of keys. */
const maxAnswerBytes = 32 * 1024 * 1024;

type Call = {
  method: 'DELETE' | 'GET' | 'PUT';
  body?: Uint8Array<ArrayBuffer>;
  headers?: Readonly<Record<string, string>>;
};

/**
 * Receipts as objects of a bucket in any S3-compatible service; path style, which needs no DNS name
 * for the bucket.
 */
export function createS3Store(settings: S3Settings): ErasableReceiptStore {
  const { endpoint, region, accessKeyId, secretAccessKey, timeoutMs = 5_000 } = settings;
  const { name = 'receipt store', maxPages = 100 } = settings;
  const failed = (what: string, status: number, body: Uint8Array) =>
    new Error(`the ${name} did not ${what}: ${status} ${codeIn(body) ?? ''}`.trimEnd());
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
  const bucket = `${endpoint.replace(/\/+$/, '')}/${settings.bucket}`;
  const send = createSend(new URL(endpoint).origin, timeoutMs);
  const prefix = settings.prefix === '' ? '' : `${settings.prefix}/`;
  const objectUrl = (key: string) =>
    key.startsWith('?') ? `${bucket}${key}` : `${bucket}/${prefix}${key}`;

  async function call(key: string, init: Call) {
    const sha256 = createHash('sha256')
      .update(init.body ?? '')
      .digest('hex');
    const headers = { ...init.headers, 'x-amz-content-sha256': sha256 };
    for (let left = tries - 1; ; left -= 1) {
      const signed = await signer.sign(objectUrl(key), { ...init, headers });
      const answer = await send(init, signed).catch((error: unknown) => ({ error }));
      const failing = 'error' in answer || answer.status >= 500 || passing.has(answer.status);
      if (failing && left > 0) await delay(pauseMs * 2 ** (tries - 1 - left));
      else if ('error' in answer)
        throw new Error(`the ${name} is unavailable`, { cause: answer.error });
      else return answer;
    }
  }

  const remove = async (key: string) => {
    const { status, body } = await call(key, { method: 'DELETE' });
    // S3 answers the same whether or not the object existed; other services may not.
    if (status === 404 && codeIn(body) === 'NoSuchKey') return;
    if (status !== 204 && status !== 200) throw failed('delete', status, body);
  };

  const readAll = (under: string, after = '') =>
    readPages(call, { under, after, maxPages, failed });
  const pages = (folder: string) => readAll(`${prefix}${folder}/`);

  return {
    ...createObjectCalls(call, failed),
    remove,
    list: async (folder) => {
      const files: ListedFile[] = [];
      for await (const objects of pages(folder))
        for (const { key, storedAtMs } of objects)
          files.push({ name: key.slice(`${prefix}${folder}/`.length), storedAtMs });
      return files;
    },
    names: async function* (folder, after = '') {
      const under = `${prefix}${folder}/`;
      for await (const objects of readAll(under, after === '' ? '' : `${under}${after}`))
        for (const { key } of objects) yield key.slice(under.length);
    },
    storedAtMs: async (key) => {
      // The first key with a prefix is the prefix itself, if it is one.
      const { value: [first] = [] } = await readAll(`${prefix}${key}`).next();
      return first?.key === `${prefix}${key}` ? first.storedAtMs : undefined;
    },
    removeAll: async (operationId) => {
      let removed = 0;
      for await (const objects of pages(operationId)) {
        for (const { key } of objects) await remove(key.slice(prefix.length));
        removed += objects.length;
      }
      return removed;
    },
  };
}

type SendCall = (key: string, init: Call) => Promise<HttpAnswer>;
type CreateFailure = (what: string, status: number, body: Uint8Array) => Error;

/** Reads and writes of one object. */
function createObjectCalls(call: SendCall, failed: CreateFailure) {
  const get = async (key: string, mostBytes?: number) => {
    const headers = mostBytes === undefined ? {} : { range: `bytes=0-${mostBytes - 1}` };
    const { status, body } = await call(key, { method: 'GET', headers });
    // A service may ignore a range, and an empty object has none.
    if (status === 200 || status === 206) return body.subarray(0, mostBytes);
    if (status === 416 && mostBytes !== undefined) return new Uint8Array();
    // A missing bucket is a configuration error, and says nothing about the object.
    if (status === 404 && codeIn(body) === 'NoSuchKey') return undefined;
    throw failed('get', status, body);
  };
  const put = async (key: string, content: Uint8Array) => {
    const { status, body } = await call(key, { method: 'PUT', body: new Uint8Array(content) });
    if (status !== 200) throw failed('put', status, body);
  };
  const create = async (key: string, content: Uint8Array) => {
    const headers = { 'if-none-match': '*' };
    const init = { method: 'PUT', body: new Uint8Array(content), headers } as const;
    const { status, body } = await call(key, init);
    if (status === 200) return true;
    if (status !== 412) throw failed('create', status, body);
    // An earlier try of this call, whose answer was lost, may have written it.
    const present = await get(key);
    return present !== undefined && Buffer.from(present).equals(content);
  };
  return { get, put, create };
}

type ListedObject = { key: string; storedAtMs: number };
type PageOptions = {
  under: string;
  /** The key after which they begin. */
  after: string;
  maxPages: number;
  failed: CreateFailure;
};

/** The objects below a prefix, page by page. */
async function* readPages(
  call: SendCall,
  { under, after: first, maxPages, failed }: PageOptions,
): AsyncGenerator<ListedObject[]> {
  let after = first;
  for (let page = 0; page < maxPages; page += 1) {
    const query = new URLSearchParams({
      'list-type': '2',
      prefix: under,
      ...(after !== '' && { 'start-after': after }),
    });
    const { status, body } = await call(`?${query.toString()}`, { method: 'GET' });
    if (status !== 200) throw failed('list', status, body);
    const objects = objectsIn(body).filter(({ key }) => key.startsWith(under));
    if (objects.length === 0) return;
    after = objects.at(-1)?.key ?? '';
    yield objects;
  }
  throw new Error('a list of objects is longer than a folder can have');
}

/** The objects of an S3 list; the keys of receipts need no escaping. */
function objectsIn(body: Uint8Array): ListedObject[] {
  const listed = Buffer.from(body)
    .toString('utf8')
    .matchAll(/<Contents>(.*?)<\/Contents>/gs);
  return [...listed].map(([, object = '']) => ({
    // A part of a string keeps the whole page in memory: of many pages that is too much.
    key: Buffer.from(/<Key>([^<]+)<\/Key>/.exec(object)?.[1] ?? '').toString('utf8'),
    storedAtMs: Date.parse(/<LastModified>([^<]+)<\/LastModified>/.exec(object)?.[1] ?? ''),
  }));
}

function createSend(origin: string, timeoutMs: number) {
  const client = createHttpClient(origin, { maxConnections });
  return async ({ method, body }: Call, signed: Request): Promise<HttpAnswer> => {
    const { pathname, search } = new URL(signed.url);
    const headers = Object.fromEntries(signed.headers);
    const path = `${pathname}${search}`;
    const request = { method, path, headers, maxAnswerBytes, ...(body && { body }) };
    const outcome = await exchange(client, request, { timeoutMs });
    if (!outcome.ok) throw new Error(outcome.fault);
    return outcome;
  };
}

/** The code of an S3 error; its text may contain private data. */
function codeIn(body: Uint8Array): string | undefined {
  return /<Code>(\w{1,64})<\/Code>/.exec(Buffer.from(body.subarray(0, 4096)).toString('utf8'))?.[1];
}
