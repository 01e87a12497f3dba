import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const clients = join(root, 'clients');

/** What merchants install: `npm run openapi` builds it, the gateway serves it. */
export const packageFile = join(clients, 'client.tgz');

const manifest = {
  name: 'gateway-client',
  version: '1.0.0',
  description:
    'A client of the merchant API of the payment gateway, and a verifier of its webhooks.',
  license: 'UNLICENSED',
  type: 'module',
  engines: { node: '>=22' },
  bin: { 'verify-statement': './typescript/statement/main.js' },
  exports: { '.': { types: './typescript/index.d.ts', default: './typescript/index.js' } },
  types: './typescript/index.d.ts',
};

/** Older than what the client is written in, so that more projects can take it. */
const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
  lib: ['es2024'],
  module: 'nodenext',
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  declaration: true,
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  rootDir: clients,
};

/** Files that are not compiled: path in the package, path in `clients`. */
const copies: readonly [path: string, source: string][] = [
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

/** Texts by path: the compiled client with its declarations, the Python client, the verifiers. */
export const packageFiles = (): Map<string, string> =>
  new Map([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ...inTempFolder(compile),
    ...copies.map(([path, source]): [string, string] => [
      path,
      readFileSync(join(clients, source), 'utf8'),
    ]),
  ]);

/** Where the compiled verifier of statements is checked in: readable, and for any Node. */
export const verifierFolder = join(clients, 'typescript/compiled');

/** The verifier's part of the files, by path in `verifierFolder`. */
export const verifierFiles = (files: ReadonlyMap<string, string>): Map<string, string> =>
  new Map(
    [...files].flatMap(([path, text]): [string, string][] => {
      const [, within] = /^typescript\/((?:statement\/\w+|parse-exact)\.js)$/.exec(path) ?? [];
      return within === undefined ? [] : [[within, text]];
    }),
  );

/** The files as a gzipped tar with the folder `gateway-client`. */
export const packArchive = (files: ReadonlyMap<string, string>): Buffer =>
  inTempFolder((folder) => {
    const paths = [...files.keys()].map((path) => `gateway-client/${path}`).toSorted();
    writeFiles(join(folder, 'gateway-client'), files);
    // Started from the unpacked archive; npm makes only the programs of `bin` executable.
    chmodSync(join(folder, 'gateway-client/python/verify-statement'), 0o755);
    // Neither the time nor the user of a build is in the archive, nor its umask.
    const fixed = ['--format=ustar', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
    const options = [...fixed, '--mode=u=rwX,go=rX', '-C', folder];
    return gzipSync(execFileSync('tar', ['-cf', '-', ...options, ...paths]));
  });

/** Unpacks what is checked in: `gateway-client` in the folder. */
export function unpackPackage(folder: string): void {
  execFileSync('tar', ['-xzf', packageFile, '-C', folder]);
}

export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Texts of the files below a folder, by path. */
export const textsBelow = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  );

function compile(folder: string): Map<string, string> {
  const outDir = join(folder, 'out');
  const config = join(folder, 'tsconfig.json');
  const files = ['index.ts', 'statement/main.ts'].map((path) => join(clients, 'typescript', path));
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...compilerOptions, outDir }, files }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', config], { stdio: ['ignore', 2, 2] });
  return new Map([...textsBelow(outDir)].map(([path, text]) => [path, importingJs(text)]));
}

/** The compiler leaves `.ts` in the imports of declarations. */
const importingJs = (text: string): string =>
  text.replaceAll(/ from '(\.[^']+)\.ts'/g, " from '$1.js'");

function inTempFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-client-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
