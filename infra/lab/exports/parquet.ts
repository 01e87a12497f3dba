import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { peakBytes } from '#infra/lab/load/sample/usage.ts';
import { orderId } from './fill.ts';
import type { Measurement } from './measured.ts';

const main = fileURLToPath(new URL('../../../projections/export/main.ts', import.meta.url));
const everyMs = 20;
/** A day on which nothing happened. */
const nothing = ['--day', '2000-01-01', '--zone', 'UTC'];

/**
 * Runs `npm run export` for the operations. `beforeBytes`: its memory for an empty table.
 * @throws unless each row is there once
 */
export async function measureParquet(
  databaseUrl: string,
  folder: string,
  rows: number,
): Promise<Measurement> {
  const empty = await run(databaseUrl, [...nothing, '--out', join(folder, 'empty')]);
  const out = join(folder, 'all');
  const { seconds, peak } = await run(databaseUrl, ['--all', '--out', out]);
  const file = join(out, 'operations.parquet');
  await look(file, rows);
  return { rows, bytes: statSync(file).size, seconds, beforeBytes: empty.peak, peakBytes: peak };
}

async function run(
  databaseUrl: string,
  args: readonly string[],
): Promise<{ seconds: number; peak: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...args, 'operations'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, peakBytes(child.pid ?? 0))), everyMs);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the export ended with ${code}`);
  return { seconds: (performance.now() - began) / 1_000, peak };
}

async function look(path: string, rows: number): Promise<void> {
  const read = await parquetReadObjects({
    file: await asyncBufferFromFile(path),
    columns: ['merchant_operation_id'],
  });
  const ids = new Set(read.map(({ merchant_operation_id: id }) => id));
  if (read.length !== rows || ids.size !== rows || !ids.has(orderId(1)) || !ids.has(orderId(rows)))
    throw new Error(`${path} has ${read.length} rows of ${ids.size} operations`);
}
