import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlive } from '../process/pids.ts';
import { readPrivateJson, writePrivateJson } from './private-json.ts';

const processSchema = z.object({ pid: z.int(), startedAt: z.string() });
const textsSchema = z.record(z.string(), z.string());

const stackSchema = z
  .object({
    /** The supervisor. */
    supervisor: processSchema,
    /** The process that ends last, even after the supervisor was killed. */
    watchdog: processSchema.optional(),
    ready: z.boolean(),
    /** The pid of each process by its name. */
    processes: z.record(z.string(), z.int()),
    /** The process that each service runs in. */
    services: textsSchema,
    /** The URL of each service's /livez and /readyz. */
    probes: textsSchema,
    /** The environment that reaches this stack: URLs of the stores, ports, secrets. */
    env: textsSchema,
  })
  .readonly();
/** How to reach a running stack, in `DATA_DIR/stack.json`. */
export type StackFile = z.infer<typeof stackSchema>;

const stackPath = (dataDir: string) => join(dataDir, 'stack.json');

/** Readable only by its owner, because it holds URLs with passwords. */
export function writeStackFile(dataDir: string, stack: StackFile): void {
  writePrivateJson(stackPath(dataDir), stack);
}

/** After a clean stop. */
export function removeStackFile(dataDir: string): void {
  rmSync(stackPath(dataDir), { force: true });
}

/** The file of the last start, whether it still runs or not. */
export function readStackFile(dataDir: string): StackFile | undefined {
  return readPrivateJson(stackPath(dataDir), stackSchema);
}

/** The stack that runs on this DATA_DIR, for tools; undefined when none does. */
export function findRunningStack(dataDir: string): StackFile | undefined {
  const stack = readStackFile(dataDir);
  return stack !== undefined && isAlive(stack.supervisor) ? stack : undefined;
}
