import { usedMs } from '#infra/verify/harness/used-ms.ts';
import { beginPeak, peakBytes } from '#infra/lab/load/sample/usage.ts';
import { mostLines } from '#shared/application/statements/files/accounts.ts';
import { readStatementFile } from '#shared/application/statements/read-file.ts';
import { day, isFormat, writeBankFile } from './files.ts';

/** What one process took to read one file. */
export type FileRead = {
  bytes: number;
  movements: number;
  /** The lines that were read, or why the file was refused. */
  outcome: string;
  /** How much of the file was read. */
  readBytes: number;
  seconds: number;
  cpuSeconds: number;
  beforeBytes: number;
  peakBytes: number;
};

const [format = '', size = ''] = process.argv.slice(2);
if (!isFormat(format)) throw new Error(`no format: ${format}`);
const { bytes, ends } = writeBankFile(format, Number(size));
// The strings from which the file was made must not count.
globalThis.gc?.();
const beforeBytes = beginPeak(process.pid);
const [began, usedBefore] = [performance.now(), usedMs()];
const of = { provider: 'bank', account: 'default', currency: 'RUB', day };
const read = await readStatementFile(bytes, of);
const cpuSeconds = (usedMs() - usedBefore) / 1_000;
const result: FileRead = {
  bytes: bytes.length,
  movements: ends.length,
  outcome: read.ok ? 'read' : (read.errors[0]?.code ?? ''),
  readBytes: ends[Math.min(mostLines, ends.length - 1)] ?? 0,
  seconds: (performance.now() - began) / 1_000,
  cpuSeconds,
  beforeBytes,
  peakBytes: peakBytes(process.pid),
};
process.stdout.write(JSON.stringify(result));
