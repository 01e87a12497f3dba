import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { Client, type ClientBase } from 'pg';
import { exportColumn, type ExportColumn } from './columns.ts';
import { exported, ofDay } from './relations.ts';

type ExportOptions = {
  url: string;
  folder: string;
  /** `YYYY-MM-DD`; undefined: everything. */
  day?: string | undefined;
  /** The time zone in which a day begins and ends. */
  zone: string;
  relations?: readonly string[];
  onFile?(file: ExportedFile): void;
};

type ExportedFile = { relation: string; rows: number; bytes: number };

/** Rows per row group; only one group is in memory at a time. */
const groupRows = 10_000;
/** Values as PostgreSQL writes them. */
const asText = { getTypeParser: () => (text: string) => text };

/**
 * Writes tables as Parquet files, all from one snapshot. A file gets its name once it is complete.
 * @throws PostgreSQL's error
 */
export async function exportParquet({
  url,
  folder,
  day,
  zone,
  relations = Object.keys(exported),
  onFile,
}: ExportOptions): Promise<ExportedFile[]> {
  const client = new Client({ connectionString: url, application_name: 'gateway-export' });
  await client.connect();
  const files: ExportedFile[] = [];
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query(
      `select set_config('TimeZone', $1, true), set_config('statement_timeout', '0', true)`,
      [zone],
    );
    mkdirSync(folder, { recursive: true });
    for (const relation of relations) {
      const path = join(folder, `${relation}.parquet`);
      const columns = await readColumns(client, relation);
      const rows = await writeRelation(client, {
        relation,
        columns,
        where: ofDay(relation, day),
        path,
      });
      const file = { relation, rows, bytes: statSync(path).size };
      files.push(file);
      onFile?.(file);
    }
    return files;
  } finally {
    await client.end();
  }
}

async function readColumns(client: ClientBase, relation: string): Promise<ExportColumn[]> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`,
    [`gateway.${relation}`],
  );
  if (rows.length === 0)
    throw new Error(`There is no table gateway.${relation} (yet): the read models make it`);
  return rows.map(({ name, type }) => exportColumn(name, type));
}

type Relation = { relation: string; columns: readonly ExportColumn[]; where: string; path: string };

async function writeRelation(
  client: ClientBase,
  { relation, columns, where, path }: Relation,
): Promise<number> {
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  // It names clients, so only the exporting user may read it.
  writeFileSync(unfinished, '', { mode: 0o600 });
  const root = { name: 'root', num_children: columns.length };
  const writer = new ParquetWriter({
    writer: fileWriter(unfinished),
    schema: [root, ...columns.map(({ element }) => element)],
    createdBy: 'payment-gateway',
  });
  const list = columns.map(({ select }) => select).join(', ');
  await client.query(
    `declare exported no scroll cursor for select ${list} from gateway."${relation}"${where}`,
  );
  let count = 0;
  for (;;) {
    const query = {
      text: `fetch ${groupRows} from exported`,
      rowMode: 'array',
      types: asText,
    } as const;
    const { rows } = await client.query<(string | null)[]>(query);
    if (rows.length === 0) break;
    count += rows.length;
    const columnData = columns.map(({ name, read }, at) => ({
      name,
      data: rows.map((row) => {
        const text = row[at] ?? null;
        return text === null ? null : read(text);
      }),
    }));
    await writer.write({ columnData, rowGroupSize: groupRows });
  }
  await client.query('close exported');
  await writer.finish();
  renameSync(unfinished, path);
  return count;
}
