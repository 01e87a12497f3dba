import { rmSync, writeFileSync } from 'node:fs';
import { readCommandLine } from '#shared/platform/command-line.ts';
import {
  packArchive,
  packageFile,
  packageFiles,
  verifierFiles,
  verifierFolder,
  writeFiles,
} from './package.ts';

const usage = `usage: npm run openapi

Builds clients/client.tgz, which merchants install: the compiled client, the Python client, and the
verifiers of webhooks. Writes the compiled verifier of statements to clients/typescript/compiled.
`;
readCommandLine(usage, {});
const files = packageFiles();
writeFileSync(packageFile, packArchive(files));
rmSync(verifierFolder, { recursive: true, force: true });
writeFiles(verifierFolder, verifierFiles(files));
