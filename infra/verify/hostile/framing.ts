import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { RawRequest } from './raw-client.ts';

const framings: readonly [string, ...string[]] = [
  'content-length: -1',
  'content-length: 1e3',
  'content-length: 0x10',
  'content-length: +5',
  'content-length: 5, 5',
  'content-length: 5\r\ncontent-length: 6',
  'content-length: 99999999999999999999',
  'content-length: 9007199254740993',
  'content-length: 18446744073709551616',
  'content-length: ',
  'content-length: 70000',
  'content-length: 11000000',
  'content-length: 0',
  'content-length: 1',
  'transfer-encoding: chunked\r\ncontent-length: 5',
  'content-length: 5\r\ntransfer-encoding: chunked',
  'transfer-encoding: chunked',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: chunked, identity',
  'transfer-encoding: xchunked',
  'transfer-encoding: identity',
  'transfer-encoding:\tchunked',
  'transfer-encoding : chunked',
  'Transfer-Encoding: CHUNKED\r\ntransfer-encoding: chunked',
  'transfer-encoding: \x0bchunked',
  'trailer: x-api-key\r\ntransfer-encoding: chunked',
];

/** A request with an odd or contradicting length, or that ends too early. */
export function framed(
  random: Random,
  head: readonly Buffer[],
  body: { bytes: Buffer },
): RawRequest {
  const framing = random.pick(framings);
  const top = Buffer.concat([
    ...head.flatMap((line) => [line, Buffer.from('\r\n')]),
    Buffer.from(`${framing}\r\n\r\n`),
  ]);
  const chunked = /chunked/i.test(framing) && random.chance(0.8);
  const rest = chunked ? oddChunks(random, body.bytes) : body.bytes;
  const second = random.chance(0.3) ? [Buffer.from('GET /livez HTTP/1.1\r\nhost: a\r\n\r\n')] : [];
  return { chunks: [top, rest, ...second], whole: false };
}

function oddChunks(random: Random, bytes: Buffer): Buffer {
  const chunk = (size: string, content: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`${size}\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]);
  const length = bytes.length.toString(16);
  const end = '0\r\n\r\n';
  switch (random.below(9)) {
    case 0:
      return Buffer.concat([chunk(length, bytes), Buffer.from(end)]);
    case 1:
      return Buffer.concat(
        [...bytes.subarray(0, 500)].map((byte) => chunk('1', Buffer.from([byte]))),
      );
    case 2:
      return chunk('ffffffffffffffff', bytes);
    case 3:
      return chunk('-1', bytes);
    case 4:
      return chunk(`${length};${'x'.repeat(random.pick([10, 20_000]))}=y`, bytes);
    case 5:
      return Buffer.concat([chunk(length, bytes), Buffer.from('0\r\nx-api-key: other\r\n\r\n')]);
    case 6:
      return chunk(`${'0'.repeat(40)}${length}`, bytes);
    case 7:
      return chunk(length, Buffer.concat([bytes, Buffer.from('too long')]));
    default:
      return Buffer.concat([Buffer.from(`${length}\n`), bytes, Buffer.from(`\n0\n\n`)]);
  }
}
