import type { Context } from 'hono';
import type { CsvQuery } from './columns.ts';
import type { Exports } from './exports.ts';

type CsvFile = {
  /** What the file is called, before the time. */
  list: string;
  query: CsvQuery;
  zone: string;
  /** A person will open it with a spreadsheet. */
  forPeople: boolean;
  /** Who has only a share of the files that are written at a time. */
  holder: string;
  /** Told once the file begins, where it is logged who has it. */
  exported?(): void;
};

/**
 * A list as a CSV file (docs/operators/exports.md).
 * @throws Problem rate_limited while too many are under way; not_ready while the database does not
 *   answer
 */
export async function answerCsv(
  c: Context,
  exports: Exports,
  { list, query, zone, forPeople, holder, exported }: CsvFile,
): Promise<Response> {
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${list}-${new Date().toISOString().replaceAll(/:|\.\d+/g, '')}.csv"`,
    'cache-control': 'no-store',
  };
  // Nobody would read the file, and its query would never end.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const file = await exports.start(query, { zone, mark: forPeople, holder });
  exported?.();
  return c.body(file, 200, headers);
}
