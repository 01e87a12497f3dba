import { execFile } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import {
  packageFile,
  packageFiles,
  textsBelow,
  unpackPackage,
  verifierFiles,
  verifierFolder,
} from './package.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const folder = folderForFile();

/** Runs a program in the project. @returns its output @throws with its output on failure */
const run = async (command: string, args: string[]): Promise<string> => {
  const failed = (error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  };
  const done = promisify(execFile)(command, args, { cwd: folder });
  return (await done.catch(failed)).stdout;
};

const program = `import { createClient, orThrow, verifyWebhook, type Result } from 'gateway-client';

const client = createClient({
  baseUrl: 'https://gateway.example',
  apiKey: 'key',
  fetch: async () =>
    new Response('{"balances":[]}', { headers: { 'content-type': 'application/json' } }),
});
const { balances } = orThrow(await client.getBalances());
const state: Result<{ status: string }> = await client.getOperationState({ operation_id: 'x' });
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const verdict = verifyWebhook({ header: () => undefined, body: '' }, secret);
console.log(balances.length, state.ok, verdict.valid);
`;

beforeAll(async () => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
  writeFileSync(join(folder, 'main.ts'), program);
  const options = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'npm-cache')];
  await run('npm', ['install', ...options, packageFile]);
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
});

describe('the client package', () => {
  it('is built from the current clients', () => {
    unpackPackage(folder);
    const stored = textsBelow(join(folder, 'gateway-client'));
    const files = packageFiles();
    expect(stored, 'client.tgz is out of step: run `npm run openapi`').toEqual(files);
    const verifier = textsBelow(verifierFolder);
    expect(verifier, 'compiled/ is out of step: run `npm run openapi`').toEqual(
      verifierFiles(files),
    );
  });

  it('has the Python program as an executable file', () => {
    unpackPackage(folder);
    const { mode } = statSync(join(folder, 'gateway-client/python/verify-statement'));
    expect(mode & 0o100).toBe(0o100);
  });

  it.each([
    [
      'bundler',
      { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022'], types: ['node'] },
    ],
    ['node16', { module: 'node16', moduleResolution: 'node16', lib: ['es2022'], types: ['node'] }],
    [
      'a browser',
      { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
    ],
  ])('compiles and runs in a project with the settings of %s', async (_, settings) => {
    // Without skipLibCheck: the compiler's own defaults.
    const compilerOptions = { strict: true, target: 'es2022', outDir: 'out', ...settings };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['main.ts'] }),
    );
    expect(await run(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', '.'])).toBe('');
    expect(await run(process.execPath, ['out/main.js'])).toBe('0 true false\n');
  });
});
