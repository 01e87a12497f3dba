import { borrowDatabase } from '#infra/stores/borrow-stores.ts';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { readersZone } from '../psql/zone.ts';
import { exportParquet } from './export.ts';
import { exported } from './relations.ts';

const usage = `usage: npm run export -- --day 2026-01-31 [--out <folder>] [--zone Europe/Berlin] [table]…
       npm run export -- --all [--out <folder>] [table]…

Writes the tables of the read models as Parquet files. Without a zone a day is one of this machine's.
Tables: ${Object.keys(exported).join(', ')}
`;

type ExportRequest = { day: string | undefined; out: string; zone: string; relations: string[] };

function readArguments(args: readonly string[]): ExportRequest {
  const options = {
    day: { type: 'string' },
    all: { type: 'boolean' },
    out: { type: 'string' },
    zone: { type: 'string' },
  } as const;
  const { values, positionals } = readCommandLine(usage, {
    args: [...args],
    options,
    allowPositionals: true,
  });
  const { day, all = false } = values;
  if ((day === undefined) !== all) refuseCommandLine(usage, 'Name a day, or --all');
  if (day !== undefined && !isDay(day))
    refuseCommandLine(usage, `Write the day as 2026-01-31, not ${day}`);
  const unknown = positionals.find((name) => !Object.hasOwn(exported, name));
  if (unknown !== undefined) refuseCommandLine(usage, `There is no table ${unknown} to export`);
  const relations = positionals.length > 0 ? positionals : Object.keys(exported);
  return {
    day,
    relations,
    out: values.out ?? `export-${day ?? 'all'}`,
    zone: values.zone ?? readersZone(),
  };
}

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    !Number.isNaN(time.getTime()) &&
    time.toISOString().startsWith(text)
  );
}

async function run(args: readonly string[]): Promise<number> {
  const options = readArguments(args);
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  const { databaseUrl, release } = await borrowDatabase(DATA_DIR);
  try {
    const { day, out, zone, relations } = options;
    const onFile = ({ relation, rows, bytes }: { relation: string; rows: number; bytes: number }) =>
      process.stdout.write(
        `${relation.padEnd(26)}${String(rows).padStart(12)} rows${megabytes(bytes)}\n`,
      );
    await exportParquet({ url: databaseUrl, folder: out, day, zone, relations, onFile });
    const peak = megabytes(process.resourceUsage().maxRSS * 1024);
    process.stdout.write(`Written to ${out}; most memory at a time:${peak}\n`);
    return 0;
  } finally {
    await release();
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1).padStart(12)} MB`;

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`Nothing could be exported: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
