import { join } from 'node:path';
import { hasClusterToCopy, makeClusterToCopy } from './cluster.ts';
import { makeTempFolder, removeFolder } from '../processes/temp-folder.ts';

let folder: string | undefined;

/** For projects that start whole stacks; the first of them makes it for all. */
export async function setup(): Promise<void> {
  if (hasClusterToCopy()) return;
  folder = makeTempFolder();
  await makeClusterToCopy(join(folder, 'postgres'));
}

export function teardown(): void {
  if (folder !== undefined) removeFolder(folder);
}
