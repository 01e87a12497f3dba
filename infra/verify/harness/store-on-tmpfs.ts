import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../event-store-node/main.ts', import.meta.url));
/**
 * A disk of its own, seen by this process alone: as an ordinary user too, where the system allows
 * that.
 */
const own = ['--user', '--map-root-user', '--mount'];

export const canMakeDisks = (folder: string): boolean =>
  spawnSync('unshare', [...own, 'mount', '-t', 'tmpfs', 'tmpfs', folder]).status === 0;

export type StoreOnDisk = {
  url: string;
  port: number;
  /** Leaves no room at all. */
  fill(): void;
  makeRoom(): void;
  /** What it has said on its standard error. */
  complaints(): string;
  isRunning(): boolean;
  stop(): Promise<void>;
};

/** An event store node whose log is on a disk of `megabytes`. */
export async function startStoreOnDisk(folder: string, megabytes: number): Promise<StoreOnDisk> {
  mkdirSync(folder, { recursive: true });
  const script = 'mount -t tmpfs -o size="$1"m tmpfs "$2" && shift 2 && exec "$@"';
  const command = [process.execPath, main, '--port', '0', '--dir', join(folder, 'log')];
  const args = [...own, '/bin/sh', '-c', script, 'sh', String(megabytes), folder, ...command];
  const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let [said, complained] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const ready = /"port":(\d+).*\n/.exec(said);
      if (ready) resolve(Number(ready[1]));
    });
    child.once('exit', () => reject(new Error(`no event store: ${complained}`)));
  });
  // The disk as the process has it.
  const disk = join(`/proc/${child.pid}/root`, folder);
  const filler = join(disk, 'filler');
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    fill: () => {
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    makeRoom: () => rmSync(filler),
    complaints: () => complained,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
