import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { findPostgres } from '#infra/postgres/binaries.ts';
import { ensureCluster } from '#infra/postgres/cluster.ts';
import { prepareFolder } from '#infra/postgres/user.ts';

/** Names the folder of a cluster that the stacks of tests begin with a copy of. */
const variable = 'TEST_CLUSTER';

/**
 * Makes a PostgreSQL cluster that nobody runs, for every process that this one starts from now on.
 * To make one takes a second of a core, and most tests of whole stacks are not about that.
 */
export async function makeClusterToCopy(folder: string): Promise<void> {
  const binaries = findPostgres();
  const runAs = prepareFolder(folder, binaries.folder);
  await ensureCluster(realpathSync(folder), binaries, runAs);
  process.env[variable] = folder;
}

export const hasClusterToCopy = (): boolean => process.env[variable] !== undefined;

/** Puts the copy where a first start would make a cluster; where there is none to copy, it will. */
export async function copyCluster(to: string): Promise<void> {
  const from = process.env[variable];
  // With its owner: PostgreSQL does not run as root.
  if (from !== undefined) await promisify(execFile)('cp', ['--archive', from, to]);
}
