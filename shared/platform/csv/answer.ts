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
  /** Whose share of the concurrent files this one counts against. */
  holder: string;
  /** Called once the file begins, to log who exports it. */
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
  // Nobody would read the file, so its query would never end.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const follow = forPeople ? followed(c.req.query('follow')) : undefined;
  const file = await exports.start(query, { zone, mark: forPeople, holder, follow });
  exported?.();
  return c.body(file, 200, headers);
}

const followed = (text: string | undefined) =>
  text !== undefined && /^[\w-]{8,64}$/.test(text) ? text : undefined;

/**
 * The progress of a file that was requested with `follow`; empty if it is another holder's, another
 * instance's, or old.
 */
export function answerProgress(c: Context, exports: Exports, holder: string): Response {
  const progress = exports.progressOf(holder, c.req.param('follow') ?? '');
  const headers = { 'cache-control': 'no-store' };
  return progress ? c.json(progress, 200, headers) : c.body(null, 204, headers);
}
