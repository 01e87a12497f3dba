import { writeFileSync } from 'node:fs';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { describeSettings, settingsReferenceFile } from './reference.ts';

const usage = `usage: npm run openapi

Writes the reference of a shop's settings (${settingsReferenceFile}) from their table.
`;
readCommandLine(usage, {});
writeFileSync(settingsReferenceFile, `${describeSettings()}\n`);
