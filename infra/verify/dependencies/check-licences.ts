import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFile, readDependencies, refused, renderList } from './licences.ts';

// npm run licences              every dependency's licence is allowed, and the list is up to date
// npm run licences -- --write   writes the list
const root = fileURLToPath(new URL('../../..', import.meta.url));
const dependencies = readDependencies(root);
const list = renderList(dependencies);
const file = join(root, listFile);
if (process.argv.includes('--write')) writeFileSync(file, list);
for (const { name, version, licence } of refused(dependencies)) {
  process.stderr.write(`${name} ${version}: the licence "${licence}" is not one that is allowed\n`);
  process.exitCode = 1;
}
if (readFileSync(file, 'utf8') !== list) {
  process.stderr.write(`${listFile} is not up to date: npm run licences -- --write\n`);
  process.exitCode = 1;
}
