import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startNodeProcess } from './event-store-process.ts';

/** Mounts a private disk, for an ordinary user too if the system allows it. */
const own = ['--user', '--map-root-user', '--mount'];

export const canMakeDisks = (folder: string): boolean =>
  spawnSync('unshare', [...own, 'mount', '-t', 'tmpfs', 'tmpfs', folder]).status === 0;

const block = Buffer.alloc(4_096);

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
    /** Leaves no room at all, while the store may be writing, too. */
    fill: () => {
      const file = openSync(filler, 'w');
      try {
        for (;;) writeSync(file, block);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(filler),
    complaints,
    isRunning,
    stop: async () => void (await stop('SIGKILL')),
  };
}
