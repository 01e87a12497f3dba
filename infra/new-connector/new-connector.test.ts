import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { newConnector } from './new-connector.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const providers = 'shared/application/providers';

function copyOfProviders(): string {
  const folder = makeTempFolder();
  onTestFinished(() => removeFolder(folder));
  mkdirSync(join(folder, providers), { recursive: true });
  cpSync(join(root, providers), join(folder, providers), { recursive: true });
  return folder;
}

it('makes a folder with what is to be written left open, and registers it', () => {
  const folder = copyOfProviders();
  const made = newConnector(folder, 'acme');
  const text = (path: string) => readFileSync(join(folder, providers, path), 'utf8');
  expect(made).toEqual({
    files: [
      'acme/connector.ts',
      'acme/testing/simulator.ts',
      'acme/conformance-suite.slow.test.ts',
      'names.ts',
      'credentials-forms.ts',
      'index.ts',
    ].map((file) => `${providers}/${file}`),
  });
  expect(text('acme/connector.ts')).toContain("name: 'acme'");
  expect(text('acme/connector.ts')).toContain('export function createAcmeConnector');
  expect(text('acme/connector.ts')).not.toContain('safeParse(body).data');
  expect(text('acme/conformance-suite.slow.test.ts')).toContain("'./testing/simulator.ts'");
  expect(text('names.ts')).toContain("'acme'] as const");
  expect(text('credentials-forms.ts')).toContain('  acme: acmeCredentials,');
  expect(text('index.ts')).toContain(
    "import { createAcmeConnector, acmeCredentials } from './acme/connector.ts'",
  );
  expect(text('index.ts')).toContain('    acme: acmeOf(');
  expect(text('index.ts')).toContain('function acmeOf(url: string): ProviderKind {');
});

it('leaves what is there as it is', () => {
  const folder = copyOfProviders();
  expect(newConnector(folder, 'sandbox')).toEqual({ fault: `${providers}/sandbox is there already` });
  expect(newConnector(folder, '../x')).toMatchObject({ fault: expect.stringContaining('small letters') });
});
