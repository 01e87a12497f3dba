import { writeFileSync } from 'node:fs';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { documentFile, documentText } from './file.ts';

const usage = `usage: npm run openapi

Writes docs/openapi.json from the schemas that validate requests, then the client's types.
`;
readCommandLine(usage, {});
writeFileSync(documentFile, documentText());
