import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { TestForm } from '#infra/verify/harness/shops/form.ts';
import { framed } from './framing.ts';
import { nastyForm } from './multipart.ts';
import type { RawRequest } from './raw-client.ts';
import { encodedText, nastyCsv, nastyFields } from './texts.ts';
import { broken, nastyBody, nastyText, randomBytes, words } from './values.ts';

/** A valid request, from which hostile ones are derived. */
export type SeedRequest = {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  json?: object;
  form?: TestForm;
  /** Of a form as a page sends it. */
  fields?: Readonly<Record<string, string>>;
  /** Lines of a file. */
  csv?: readonly string[];
  bytes?: Buffer;
  /** Headers that depend on the body, such as a signature. */
  sign?(body: Buffer): Record<string, string>;
};

export const getRequests = (...paths: string[]): SeedRequest[] =>
  paths.map((path) => ({ method: 'GET', path }));
export const jsonRequest = (method: string, path: string, body: object): SeedRequest => ({
  method,
  path,
  json: body,
});

export type Attack = RawRequest & { kind: string };

const kinds = [
  'body',
  'body',
  'body',
  'path',
  'path',
  'headers',
  'headers',
  'framing',
  'method',
  'bytes',
] as const;

/** One hostile request, determined by the generator's state. */
export function makeAttack(random: Random, seed: SeedRequest): Attack {
  const kind = random.pick(kinds);
  switch (kind) {
    case 'body':
      return { kind, ...withBody(random, seed) };
    case 'path':
      return {
        kind,
        ...assemble({ ...seed, path: nastyPath(random, seed.path) }, validBody(seed)),
      };
    case 'headers':
      return { kind, ...assemble(seed, validBody(seed), nastyHeaders(random)) };
    case 'framing':
      return { kind, ...framed(random, requestHead(seed, validBody(seed)), validBody(seed)) };
    case 'method': {
      const method = random.pick(methods);
      return { kind, ...assemble({ ...seed, method }, validBody(seed)) };
    }
    case 'bytes': {
      const { chunks } = assemble(seed, validBody(seed));
      return { kind, chunks: [broken(random, Buffer.concat(chunks))], whole: false };
    }
  }
}

const methods = [
  ...words(
    `GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND M-SEARCH QUERY PRI get FOO`,
  ),
  '',
  'X'.repeat(300),
] as const;

function withBody(random: Random, seed: SeedRequest): RawRequest {
  if (seed.form) return assemble(seed, nastyForm(random, seed.form));
  const { json, fields, csv } = seed;
  const nearby = random.chance(0.95);
  const { type } = validBody(seed);
  if (nearby && json) return assemble(seed, { bytes: nastyBody(random, json), type });
  if (nearby && fields) return assemble(seed, { bytes: nastyFields(random, fields), type });
  if (nearby && csv) return assemble(seed, { bytes: nastyCsv(random, csv), type });
  return assemble(seed, { bytes: randomBytes(random, random.below(2_000)), type });
}

type Body = { bytes: Buffer; type: string | undefined };

function validBody({ json, form, fields, csv, bytes }: SeedRequest): Body {
  if (json !== undefined)
    return { bytes: Buffer.from(JSON.stringify(json)), type: 'application/json' };
  if (form) return { bytes: form.valid, type: form.type };
  if (fields) {
    const type = 'application/x-www-form-urlencoded';
    return { bytes: Buffer.from(new URLSearchParams(fields).toString()), type };
  }
  if (csv) return { bytes: Buffer.from(`${csv.join('\r\n')}\r\n`), type: 'text/csv' };
  return { bytes: bytes ?? Buffer.alloc(0), type: undefined };
}

/**
 * The request with its body's length; additional raw header lines come before the required ones.
 */
function assemble(seed: SeedRequest, body: Body, lines: readonly Buffer[] = []): RawRequest {
  const hasBody = body.bytes.length > 0 || !['GET', 'HEAD'].includes(seed.method);
  const length = hasBody ? [Buffer.from(`content-length: ${body.bytes.length}`)] : [];
  const head = [...requestHead(seed, body), ...lines, ...length];
  const bytes = Buffer.concat([...head.flatMap((line) => [line, crlf]), crlf, body.bytes]);
  // Odd targets and headers may make an incomplete request, for whose rest the server waits.
  return { chunks: [bytes], whole: lines.length === 0, head: seed.method === 'HEAD' };
}

const crlf = Buffer.from('\r\n');

/** The request line and the headers that every request to this target has. */
function requestHead(seed: SeedRequest, body: Body): Buffer[] {
  const headers = {
    host: 'localhost',
    ...(body.type !== undefined && { 'content-type': body.type }),
    ...seed.headers,
    ...seed.sign?.(body.bytes),
  };
  return [
    Buffer.from(`${seed.method} ${seed.path} HTTP/1.1`, 'latin1'),
    ...Object.entries(headers).map(([name, value]) => Buffer.from(`${name}: ${value}`, 'latin1')),
  ];
}

const nastySegments = [
  '..',
  '.',
  '',
  ...words(`%00 %2e%2e %2F %5c %ff%fe %c0%ae %ED%A0%80 % %zz %u0041 ;x=y * //`),
  '\\',
  ...words(`__proto__ constructor toString [object%20Object] {a} :shop_id %25%30%30`),
  'a'.repeat(4_000),
  '../'.repeat(500),
  '%41'.repeat(3_000),
  'a'.repeat(20_000),
] as const;

const nastyQueries = [
  ...words(`
    ? ?? ?&&& ?= ?% ?%00=%00 ?a=%zz ?limit=-1 ?limit=1e9 ?limit=99999999999999999999 ?cursor=%00
    ?cursor=bnVsbA ?cursor=eyJhIjoxfQ ?cursor=MTIzNA== ?status=__proto__ ?shop_id=%00
    ?merchant_operation_id=%00 ?merchant_operation_id=%ED%A0%80 ?operation_id=%00 ?__proto__=1
    ?seen=%00 ?expires=1&signature=%00
  `),
  `?${'a=1&'.repeat(3_000)}`,
  `?x=${'y'.repeat(14_000)}`,
  '#fragment',
] as const;

function nastyPath(random: Random, path: string): string {
  const [name = '', query = ''] = path.split('?');
  const segments = name.split('/');
  const at = random.below(segments.length);
  switch (random.below(6)) {
    case 0:
      segments[at] = random.pick(nastySegments);
      break;
    case 1:
      segments.splice(at, 0, random.pick(nastySegments));
      break;
    case 2:
      segments[at] = encodedText(nastyText(random));
      break;
    case 3:
      return name + random.pick(nastyQueries);
    case 4:
      return `${name}?${query}&${encodedText(nastyText(random))}=${encodedText(nastyText(random))}`;
    default:
      // In a proxy's form, or in the form of no path.
      return random.pick([
        `http://evil.example${path}`,
        `//${path}`,
        path.slice(1),
        '*',
        `${path}\u00e9`,
      ]);
  }
  return segments.join('/') + (query && `?${query}`);
}

const headerNames = words(`
    x-request-id x-api-key authorization content-type content-encoding accept accept-language
    accept-encoding cookie host origin referer range if-none-match if-modified-since
    x-forwarded-for x-forwarded-host forwarded expect upgrade connection te trailer sec-fetch-site
    webhook-id webhook-timestamp webhook-signature user-agent __proto__ constructor
  `);

const headerValues = [
  '',
  ' ',
  '\t',
  '*',
  '\u00ff\u00fe\u0080',
  'a\0b',
  'a\u0001b',
  'a\rb',
  'a\nb: c',
  '100-continue',
  'upgrade, close, keep-alive',
  'h2c',
  'websocket',
  'gzip, br, zstd',
  'bytes=0-,0-,0-',
  'bytes=-1',
  'Bearer ',
  'Bearer \u00e9',
  'Basic Og==',
  'null',
  '__proto__',
  'a=b; a=c; __proto__=x; =; ;',
  'session=%ff%00; language=__proto__; theme=constructor',
  'application/json; charset=utf-7',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="',
  'en;q=9, *;q=-1, __proto__',
  '1.2.3.4, , 5, ::ffff:1.2.3.4, [::]:80, unknown',
  'v1,AAAA v1,==== v2,x',
  '99999999999999999999',
  '-1',
  'localhost:99999',
  'user@host/path',
  'x'.repeat(8_000),
  'x'.repeat(17_000),
] as const;

function nastyHeaders(random: Random): Buffer[] {
  if (random.chance(0.1)) {
    const count = random.pick([50, 200, 1_500]);
    return Array.from({ length: count }, (_, at) => Buffer.from(`x-${at % 7}: ${at}`));
  }
  return Array.from({ length: 1 + random.below(4) }, () => {
    const name = random.chance(0.9) ? random.pick(headerNames) : nastyText(random);
    const value = random.chance(0.8) ? random.pick(headerValues) : nastyText(random);
    const separator = random.pick([': ', ':', ': ', ' : ', '']);
    return Buffer.from(`${name}${separator}${value}`, random.chance(0.5) ? 'latin1' : 'utf8');
  });
}
