import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where the compiled client is checked in; `npm run openapi` writes it. */
export const packageFolder = join(root, 'clients/package');

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
  rootDir: join(root, 'clients'),
};

/** The client and the verifier as JavaScript with declarations: text by path in the package. */
export function compiledClient(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-client-'));
  try {
    const outDir = join(folder, 'out');
    const config = join(folder, 'tsconfig.json');
    const files = ['index.ts', 'statement/main.ts'].map((path) =>
      join(root, 'clients/typescript', path),
    );
    writeFileSync(
      config,
      JSON.stringify({ compilerOptions: { ...compilerOptions, outDir }, files }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '-p', config], { stdio: ['ignore', 2, 2] });
    return new Map(
      filesBelow(outDir).map((path) => [
        path,
        importingJs(readFileSync(join(outDir, path), 'utf8')),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Paths of the files below a folder, relative to it and in order. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();

/** The compiler leaves `.ts` in the imports of declarations. */
const importingJs = (text: string): string =>
  text.replaceAll(/ from '(\.[^']+)\.ts'/g, " from '$1.js'");
