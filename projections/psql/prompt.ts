import { createInterface } from 'node:readline/promises';
import type { Client, QueryArrayResult } from 'pg';

const relations = `select c.relname as name, case c.relkind when 'v' then 'view' else 'table' end as kind,
  obj_description(c.oid) as says from pg_class c
  where c.relnamespace = 'gateway'::regnamespace and c.relkind in ('r', 'v') order by 2, 1`;
const columns = `select a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
  col_description(a.attrelid, a.attnum) as says from pg_attribute a
  where a.attrelid = to_regclass($1) and a.attnum > 0 order by a.attnum`;

/**
 * A prompt for machines without psql: takes SQL that ends in a semicolon, `\d`, `\d <table>` and
 * `\q`.
 */
export async function promptForSql(client: Client): Promise<void> {
  const { stdin: input, stdout: output } = process;
  const lines = createInterface({ input, output, terminal: input.isTTY });
  let ended = !input.isTTY;
  lines.once('close', () => (ended = true));
  const showPrompt = (more: boolean) => {
    lines.setPrompt(more ? 'gateway-> ' : 'gateway=> ');
    // Piped input ends long before its last line is read.
    if (!ended) lines.prompt();
  };
  let pending = '';
  showPrompt(false);
  for await (const line of lines) {
    const text = line.trim();
    if (pending === '' && text === '\\q') break;
    if (pending === '' && text.startsWith('\\')) await describe(client, text);
    else pending += `${line}\n`;
    if (pending.trimEnd().endsWith(';')) {
      await runSql(client, pending);
      pending = '';
    }
    if (pending.trim() === '') pending = '';
    showPrompt(pending !== '');
  }
  lines.close();
}

/** Runs SQL and prints the result or the error. @returns whether it succeeded */
export async function runSql(
  client: Client,
  text: string,
  values: unknown[] = [],
): Promise<boolean> {
  try {
    const types = { getTypeParser: () => (value: string) => value };
    const query = { text, values, rowMode: 'array', types } as const;
    const result = await client.query<(string | null)[]>(query);
    // Several statements give several results.
    for (const each of [result].flat()) process.stdout.write(formatResult(each));
    return true;
  } catch (error) {
    process.stderr.write(`ERROR: ${(error as Error).message}\n`);
    return false;
  }
}

async function describe(client: Client, text: string): Promise<void> {
  const [command, name] = text.split(/\s+/);
  if (command !== '\\d') process.stderr.write('Only \\d, \\d <table> and \\q are known here.\n');
  else
    await runSql(
      client,
      name === undefined ? relations : columns,
      name === undefined ? [] : [name],
    );
}

/** A result as a table of text. */
function formatResult({
  fields,
  rows,
  command,
  rowCount,
}: QueryArrayResult<(string | null)[]>): string {
  if (fields.length === 0) return `${command} ${rowCount ?? ''}\n`;
  const cells = [
    fields.map(({ name }) => name),
    ...rows.map((row) => row.map((value) => value ?? '')),
  ];
  const widths = fields.map((_field, at) =>
    Math.max(...cells.map((row) => (row[at] ?? '').length)),
  );
  const [head = '', ...body] = cells.map((row) =>
    row
      .map((value, at) => value.padEnd(widths[at] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
  const line = widths.map((width) => '-'.repeat(width)).join('-+-');
  return `${[head, line, ...body].join('\n')}\n(${rows.length} rows)\n`;
}
