import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openServer } from '#infra/verify/harness/loopback.ts';

export const s3Keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

type S3Server = {
  url: string;
  objects: Map<string, Buffer>;
  /** How many of the next requests are answered with 503, and how many are dropped. */
  failures: { unavailable: number; dropped: number };
  stop(): Promise<void>;
};

type Answer = { status: number; code?: string; body?: Buffer };

/**
 * The part of S3 that the receipt store uses: objects in one bucket, with signature version 4 fully
 * checked.
 */
export async function startS3Server({
  region,
  bucket,
}: {
  region: string;
  bucket: string;
}): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const storedAt = new Map<string, Date>();
  const failures = { unavailable: 0, dropped: 0 };
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
    return found ? { status: 200, body: found } : { status: 404, code: 'NoSuchKey' };
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (failures.dropped > 0) {
      failures.dropped -= 1;
      request.socket.resetAndDestroy();
      return;
    }
    const failing = failures.unavailable > 0 && (failures.unavailable -= 1) >= 0;
    const answer = failing
      ? { status: 503, code: 'SlowDown' }
      : answerTo(request, Buffer.concat(chunks));
    const error = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${answer.code}</Code></Error>`;
    // An interim response that was not requested is to be skipped (RFC 9110, 15.2).
    response.writeContinue();
    response.writeHead(answer.status).end(answer.code === undefined ? answer.body : error);
  };
  const { url, close } = await openServer((request, response) => void handle(request, response));
  return { url, objects, failures, stop: close };
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
