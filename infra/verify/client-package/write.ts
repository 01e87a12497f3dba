import { writeFileSync } from 'node:fs';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { archiveOf, packageFile, packageFiles } from './package.ts';

const usage = `usage: npm run openapi

Builds clients/client.tgz, which merchants install: the compiled client, the Python client, and the
verifiers of webhooks.
`;
readCommandLine(usage, {});
writeFileSync(packageFile, archiveOf(packageFiles()));
