import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startNodeProcess } from './event-store-process.ts';

/** Mounts a private disk, for an ordinary user too if the system allows it. */
const own = ['--user', '--map-root-user', '--mount'];

export const canMakeDisks = (folder: string): boolean =>
  spawnSync('unshare', [...own, 'mount', '-t', 'tmpfs', 'tmpfs', folder]).status === 0;

/** An event store node whose log is on a disk of `megabytes`. */
export async function startStoreOnDisk(folder: string, megabytes: number) {
  mkdirSync(folder, { recursive: true });
  const script = 'mount -t tmpfs -o size="$1"m tmpfs "$2" && shift 2 && exec "$@"';
  const within = ['unshare', ...own, '/bin/sh', '-c', script, 'sh', String(megabytes), folder];
  const { url, port, pid, complaints, isRunning, stop } = await startNodeProcess({
    directory: join(folder, 'log'),
    within,
  });
  // The disk as the process has it.
  const disk = join(`/proc/${pid}/root`, folder);
  const filler = join(disk, 'filler');
  return {
    url,
    port,
    /** Leaves no room at all. */
    fill: () => {
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    makeRoom: () => rmSync(filler),
    complaints,
    isRunning,
    stop: async () => void (await stop('SIGKILL')),
  };
}
