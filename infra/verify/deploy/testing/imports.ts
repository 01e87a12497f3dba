import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const pattern =
  /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^'"]*?from\s+'([^']+)'|(?:^|\n)import\s+'([^']+)'|import\('([^']+)'\)/g;

/** Every file and package that programs import, according to their source. */
export function importsOf(
  root: string,
  mains: readonly string[],
): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (files.has(file) || !existsSync(file)) return void files.add(file);
    files.add(file);
    if (!/\.[jt]s$/.test(file)) return;
    for (const [, from, bare, lazy] of readFileSync(file, 'utf8').matchAll(pattern)) {
      const name = from ?? bare ?? lazy ?? '';
      if (name.startsWith('.')) visit(resolve(dirname(file), name));
      else if (name.startsWith('#')) visit(join(root, name.slice(1)));
      else if (!name.startsWith('node:')) packages.add(packageOf(name));
    }
  };
  for (const main of mains) visit(join(root, main));
  return { files: [...files].map((file) => relative(root, file)), packages: [...packages] };
}

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
