import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const clients = fileURLToPath(new URL('../../clients/', import.meta.url));

/** The package for JavaScript, and files for a merchant's program: paths in `clients`. */
const sources: readonly [path: string, source: string][] = [
  ...filesBelow(join(clients, 'package')).map((path): [string, string] => [
    path,
    `package/${path}`,
  ]),
  ...[
    'python/README.md',
    'python/gateway_client/__init__.py',
    'python/verify-statement',
    'python/verify_statement.py',
    'typescript/README.md',
    'webhook-verifier/verify.go',
    'webhook-verifier/verify.php',
    'webhook-verifier/verify.py',
  ].map((path): [string, string] => [path, path]),
  ['python/gateway_client/verify.py', 'webhook-verifier/verify.py'],
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)))
    .toSorted();
}

const blockBytes = 512;

/**
 * The client as a gzipped tar, to install with `npm install` or to unpack with `tar xz`:
 * `gateway-client/`. The same bytes for the same files.
 */
export function clientArchive(): Buffer<ArrayBuffer> {
  const entries = sources.map(([path, source]) =>
    entry(`gateway-client/${path}`, readFileSync(join(clients, source))),
  );
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)]));
}

/** A file in the format of POSIX (ustar). */
function entry(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const fields: readonly [at: number, text: string][] = [
    [0, name],
    [100, octal(0o644, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(content.length, 11)],
    [136, octal(0, 11)],
    // The checksum is taken with spaces in its place.
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const checksum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(checksum, 6)} `, 148, 'latin1');
  return Buffer.concat([
    header,
    content,
    Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes),
  ]);
}
