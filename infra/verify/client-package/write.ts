import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { compiledClient, packageFolder } from './compiled.ts';

const usage = `usage: npm run openapi

Compiles the client and the verifier of webhooks into clients/package, as merchants install it.
`;
readCommandLine(usage, {});
const files = compiledClient();
for (const folder of ['typescript', 'webhook-verifier'])
  rmSync(join(packageFolder, folder), { recursive: true, force: true });
for (const [path, text] of files) {
  const file = join(packageFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
