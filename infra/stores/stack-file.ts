import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity } from '../process/pids.ts';
import { writePrivateJson } from './private-json.ts';

/** How to reach a running stack, in `DATA_DIR/stack.json`. */
export type StackFile = {
  /** The supervisor. */
  readonly supervisor: ProcessIdentity;
  /** The process that ends last, even after the supervisor was killed. */
  readonly watchdog: ProcessIdentity | undefined;
  readonly ready: boolean;
  /** The pid of each process by its name. */
  readonly processes: Readonly<Record<string, number>>;
  /** The process that each service runs in. */
  readonly services: Readonly<Record<string, string>>;
  /** The URL of each service's /livez and /readyz. */
  readonly probes: Readonly<Record<string, string>>;
  /** The environment that reaches this stack: URLs of the stores, ports, secrets. */
  readonly env: Readonly<Record<string, string>>;
};

const fileOf = (dataDir: string) => join(dataDir, 'stack.json');

/** Readable only by its owner, because it holds URLs with passwords. */
export function writeStackFile(dataDir: string, stack: StackFile): void {
  writePrivateJson(fileOf(dataDir), stack);
}

/** After a clean stop. */
export function removeStackFile(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

/** The file of the last start, whether it still runs or not. */
export function readStackFile(dataDir: string): StackFile | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as StackFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The stack that runs on this DATA_DIR, for tools; undefined when none does. */
export function findRunningStack(dataDir: string): StackFile | undefined {
  const stack = readStackFile(dataDir);
  return stack !== undefined && isAlive(stack.supervisor) ? stack : undefined;
}
