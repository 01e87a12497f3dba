import { writeFileSync } from 'node:fs';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { apiFile, apiText, readDocument } from './file.ts';

const usage = `usage: npm run openapi

Writes the client's types (clients/typescript/api.ts) from docs/openapi.json.
`;
readCommandLine(usage, {});
writeFileSync(apiFile, apiText(readDocument()));
