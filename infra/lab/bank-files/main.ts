import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { formatCount } from '#infra/lab/report/figures.ts';
import { textTable } from '#infra/verify/harness/figures/tables.ts';
import { formats, type Format } from '#shared/application/statements/files/detect.ts';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { bankFileTexts } from './files.ts';
import type { FileRead } from './read.ts';

const usage = `usage: npm run lab -- bank-files [MB]…

Measures the time and memory of reading a statement's file in each format, each in a process of
its own (docs/measurements/bank-files.md). Default 16.777216, the most that a form takes, and 200.
`;
const given = readCommandLine(usage, { allowPositionals: true }).positionals.map(Number);
const sizes = given.length > 0 ? given : [16.777_216, 200];
if (!sizes.every((size) => size >= 0.01 && size <= 1_000))
  refuseCommandLine(usage, 'Each size is from 0.01 to 1000 MB');
const print = (text: string) => void process.stdout.write(`${text}\n`);
const program = fileURLToPath(new URL('read.ts', import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'bank-files-'));

async function readIn(path: string): Promise<FileRead> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, path]);
  return JSON.parse(stdout) as FileRead;
}

const mb = (bytes: number): string => formatCount(Math.round(bytes / 1_000_000));
async function row(format: Format, megabytes: number): Promise<string[]> {
  const path = join(folder, 'file');
  const texts = bankFileTexts(format, Math.round(megabytes * 1_000_000));
  await pipeline(Readable.from(texts), createWriteStream(path));
  const { size } = await stat(path);
  const read = await readIn(path);
  const speed = (seconds: number) => (size / 1_000_000 / seconds).toFixed(1);
  return [
    format,
    mb(size),
    formatCount(read.lines),
    read.outcome,
    speed(read.seconds),
    speed(read.cpuSeconds),
    mb(read.beforeBytes),
    mb(read.peakBytes),
  ];
}

const rows: string[][] = [];
print(`load at the start: ${loadavg()[0]?.toFixed(1)}`);
try {
  for (const size of sizes) for (const format of formats) rows.push(await row(format, size));
} finally {
  await rm(folder, { recursive: true });
}
const names = 'format|MB|movements|outcome|MB/s|MB/s of CPU|before, MB|peak, MB';
print(textTable([names.split('|'), ...rows]));
print(`load at the end: ${loadavg()[0]?.toFixed(1)}`);
