import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { findPostgres } from '#infra/postgres/binaries.ts';
import { ensureCluster } from '#infra/postgres/cluster.ts';
import { prepareFolder } from '#infra/postgres/user.ts';

/** The variable with the folder of a cluster that test stacks copy. */
const variable = 'TEST_CLUSTER';

/**
 * Creates a PostgreSQL cluster to copy, for every process that this one starts from now on, because
 * creating one takes a second of CPU.
 */
export async function makeClusterToCopy(folder: string): Promise<void> {
  const binaries = findPostgres();
  const runAs = prepareFolder(folder, binaries.folder);
  await ensureCluster(realpathSync(folder), binaries, { runAs });
  process.env[variable] = folder;
}

export const hasClusterToCopy = (): boolean => process.env[variable] !== undefined;

/**
 * Puts the copy where a first start would create a cluster; without a template the start creates
 * one.
 */
export async function copyCluster(to: string): Promise<void> {
  const from = process.env[variable];
  // With its owner: PostgreSQL does not run as root.
  if (from !== undefined) await promisify(execFile)('cp', ['--archive', from, to]);
}
