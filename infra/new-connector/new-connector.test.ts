import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { newConnector } from './new-connector.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const providers = 'shared/application/providers';

function copyOfProviders(): string {
  const folder = useTempFolder();
  mkdirSync(join(folder, providers), { recursive: true });
  cpSync(join(root, providers), join(folder, providers), { recursive: true });
  return folder;
}

// The name of no existing connector.
it('creates the folder of a connector from the template, and registers it', () => {
  const folder = copyOfProviders();
  const result = newConnector(folder, 'unheardof');
  const text = (path: string) => readFileSync(join(folder, providers, path), 'utf8');
  expect(result).toEqual({
    files: [
      'unheardof/connector.ts',
      'unheardof/testing/simulator.ts',
      'unheardof/conformance-suite.slow.test.ts',
      'names.ts',
      'credentials-forms.ts',
      'index.ts',
    ].map((file) => `${providers}/${file}`),
  });
  expect(text('unheardof/connector.ts')).toContain("name: 'unheardof'");
  expect(text('unheardof/connector.ts')).toContain('export function createUnheardofConnector');
  expect(text('unheardof/connector.ts')).not.toContain('safeParse(body).data');
  expect(text('unheardof/conformance-suite.slow.test.ts')).toContain("'./testing/simulator.ts'");
  expect(text('names.ts')).toContain("'unheardof'] as const");
  expect(text('credentials-forms.ts')).toContain('  unheardof: unheardofCredentials,');
  expect(text('index.ts')).toContain(
    "import { createUnheardofConnector, unheardofCredentials } from './unheardof/connector.ts'",
  );
  expect(text('index.ts')).toContain('    unheardof: unheardofOf(');
  expect(text('index.ts')).toContain('function unheardofOf(url: string): ProviderKind {');
});

it('rejects an existing name and an invalid one', () => {
  const folder = copyOfProviders();
  expect(newConnector(folder, 'sandbox')).toEqual({
    fault: `${providers}/sandbox is there already`,
  });
  expect(newConnector(folder, '../x')).toMatchObject({
    fault: expect.stringContaining('small letters'),
  });
});
