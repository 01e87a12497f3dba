import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';

export const s3Keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

/**
 * What happens to a request: an error of that status, no answer before or after it took effect, an
 * effect that comes after the connection was lost, or half of an answer.
 */
export type S3Fault =
  | { status: 409 | 500 | 503 }
  | { lost: 'request' | 'answer' }
  | { effectAfter: Promise<void> }
  | { cut: true };

type ChooseS3Fault = (method: string, path: string) => Promise<S3Fault | undefined>;

type S3Server = {
  url: string;
  objects: Map<string, Buffer>;
  failures: {
    /** How many of the next requests are answered with 503, and how many are dropped. */
    unavailable: number;
    dropped: number;
    /** Chooses what happens to each request, once it has arrived. */
    choose?: ChooseS3Fault | undefined;
  };
  stop(): Promise<void>;
};

type Answer = { status: number; code?: string; body?: Buffer };

type BucketOptions = { region: string; bucket: string };

/**
 * The part of S3 that the receipt store uses: objects in one bucket, with signature version 4 fully
 * checked.
 */
export async function startS3Server(options: BucketOptions): Promise<S3Server> {
  const { objects, answerTo } = createBucket(options);
  const failures: S3Server['failures'] = { unavailable: 0, dropped: 0 };
  const chooseFault = async ({ method = '', url = '' }: IncomingMessage) => {
    if (failures.dropped > 0) {
      failures.dropped -= 1;
      return { lost: 'request' } as const;
    }
    if (failures.unavailable > 0) {
      failures.unavailable -= 1;
      return { status: 503 } as const;
    }
    return failures.choose?.(method, url);
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const take = () => answerTo(request, Buffer.concat(chunks));
    const fault = await chooseFault(request);
    if (fault !== undefined && ('lost' in fault || 'effectAfter' in fault)) {
      if ('effectAfter' in fault) void fault.effectAfter.then(take);
      else if (fault.lost === 'answer') take();
      request.socket.resetAndDestroy();
      return;
    }
    const failing = fault !== undefined && 'status' in fault;
    const answer: Answer = failing ? { status: fault.status, code: 'SlowDown' } : take();
    if (fault !== undefined && 'cut' in fault) {
      cutAnswer(response, answer);
      return;
    }
    const error = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${answer.code}</Code></Error>`;
    // An interim response that was not requested is to be skipped (RFC 9110, 15.2).
    response.writeContinue();
    response.writeHead(answer.status).end(answer.code === undefined ? answer.body : error);
  };
  const { url, close } = await openServer((request, response) => void handle(request, response));
  return { url, objects, failures, stop: close };
}

function createBucket({ region, bucket }: BucketOptions) {
  const objects = new Map<string, Buffer>();
  const storedAt = new Map<string, Date>();
  const answerTo = (request: IncomingMessage, body: Buffer): Answer => {
    const path = request.url ?? '';
    const refused = refusal(request, body, region);
    if (refused !== undefined) return { status: 403, code: refused };
    if (path.startsWith(`/${bucket}?`))
      return list({ objects, storedAt }, bucket, new URLSearchParams(path.split('?')[1]));
    if (!path.startsWith(`/${bucket}/`)) return { status: 404, code: 'NoSuchBucket' };
    if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined)
        return { status: 411, code: 'MissingContentLength' };
      if (request.headers['if-none-match'] === '*' && objects.has(path))
        return { status: 412, code: 'PreconditionFailed' };
      objects.set(path, body);
      storedAt.set(path, new Date());
      return { status: 200 };
    }
    if (request.method === 'DELETE') {
      objects.delete(path);
      return { status: 204 };
    }
    const found = objects.get(path);
    return found ? read(found, request.headers.range) : { status: 404, code: 'NoSuchKey' };
  };
  return { objects, answerTo };
}

function read(object: Buffer, range?: string): Answer {
  const [, last] = /^bytes=0-(\d+)$/.exec(range ?? '') ?? [];
  if (last === undefined) return { status: 200, body: object };
  if (object.length === 0) return { status: 416, code: 'InvalidRange' };
  return { status: 206, body: object.subarray(0, Number(last) + 1) };
}

/** Announces a whole answer, and loses the connection in the middle of its body. */
function cutAnswer(
  response: ServerResponse,
  { status, body = Buffer.from('<half') }: Answer,
): void {
  response.writeHead(status, { 'content-length': body.length + 1 });
  response.write(body.subarray(0, body.length / 2), () => response.socket?.resetAndDestroy());
}

/** ListObjectsV2, in pages of two. */
function list(
  { objects, storedAt }: { objects: Map<string, Buffer>; storedAt: Map<string, Date> },
  bucket: string,
  query: URLSearchParams,
): Answer {
  if (query.get('list-type') !== '2') return { status: 400, code: 'InvalidArgument' };
  const keys = [...objects.keys()].map((path) => path.slice(bucket.length + 2));
  const after = query.get('start-after') ?? '';
  const page = keys
    .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
    .toSorted()
    .slice(0, 2);
  const contents = page
    .map((key) => {
      const at = storedAt.get(`/${bucket}/${key}`)?.toISOString();
      return `<Contents><Key>${key}</Key><LastModified>${at}</LastModified></Contents>`;
    })
    .join('');
  const body = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>${contents}</ListBucketResult>`;
  return { status: 200, body: Buffer.from(body) };
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();

/**
 * Why the signature is wrong ("Signature Version 4 for API requests"); undefined if it is right.
 */
function refusal({ headers, method, url = '' }: IncomingMessage, body: Buffer, region: string) {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = '', where, signedHeaders = '', signature] =
    pattern.exec(headers.authorization ?? '') ?? [];
  if (id !== s3Keys.accessKeyId) return 'InvalidAccessKeyId';
  if (where !== region) return 'AuthorizationHeaderMalformed';
  const time = String(headers['x-amz-date']);
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  const at = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  if (!(Math.abs(Date.now() - at) < 15 * 60_000) || !time.startsWith(day))
    return 'RequestTimeTooSkewed';
  const names = signedHeaders.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name)))
    return 'AccessDenied';
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const canonical = [
    method,
    url.split('?')[0],
    url.split('?')[1] ?? '',
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (from, part) => hmac(from, part),
    `AWS4${s3Keys.secretAccessKey}`,
  );
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
