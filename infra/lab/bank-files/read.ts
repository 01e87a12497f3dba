import { createReadStream } from 'node:fs';
import { usedMs } from '#infra/verify/harness/figures/used-ms.ts';
import { beginPeak, peakBytes } from '#infra/lab/load/sample/usage.ts';
import { readStatementFile } from '#shared/application/statements/read-file.ts';
import { day } from './files.ts';

/** What one process took to read one file. */
export type FileRead = {
  /** The lines that were read, or why the file was refused. */
  outcome: string;
  lines: number;
  seconds: number;
  cpuSeconds: number;
  beforeBytes: number;
  peakBytes: number;
};

const [path = ''] = process.argv.slice(2);
const beforeBytes = beginPeak(process.pid);
const [began, usedBefore] = [performance.now(), usedMs()];
const of = { provider: 'bank', account: 'default', currency: 'RUB', day };
const read = await readStatementFile(() => createReadStream(path), of);
const cpuSeconds = (usedMs() - usedBefore) / 1_000;
const result: FileRead = {
  outcome: read.ok ? 'read' : (read.errors[0]?.code ?? ''),
  lines: read.ok ? read.lines.length : (read.errors[0]?.lines ?? 0),
  seconds: (performance.now() - began) / 1_000,
  cpuSeconds,
  beforeBytes,
  peakBytes: peakBytes(process.pid),
};
process.stdout.write(JSON.stringify(result));
