import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { listFile, readDependencies, refused, renderList } from './licences.ts';

const usage = `usage: npm run licences -- [--write]

Checks that every dependency's licence is allowed, and that the list of them is up to date (${listFile}).

  --write  writes the list
`;
const { values } = readCommandLine(usage, { options: { write: { type: 'boolean' } } });
const root = fileURLToPath(new URL('../../..', import.meta.url));
const dependencies = readDependencies(root);
const list = renderList(dependencies);
const file = join(root, listFile);
if (values.write) writeFileSync(file, list);
for (const { name, version, licence } of refused(dependencies)) {
  process.stderr.write(`${name} ${version}: the licence "${licence}" is not one that is allowed\n`);
  process.exitCode = 1;
}
if (readFileSync(file, 'utf8') !== list) {
  process.stderr.write(`${listFile} is not up to date: npm run licences -- --write\n`);
  process.exitCode = 1;
}
