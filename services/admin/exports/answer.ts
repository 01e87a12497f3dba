import type { Context } from 'hono';
import type { CsvQuery } from '#shared/platform/csv/columns.ts';
import type { ExportedList } from '../access-log.ts';
import type { Operator } from '../authentication.ts';
import type { Dependencies } from '../dependencies.ts';

export type Export = {
  operator: Operator;
  list: ExportedList;
  query: CsvQuery;
  /** The one that the list was narrowed down to. */
  shopId: string | undefined;
  zone: string;
  /** A person will open it with a spreadsheet. */
  forPeople: boolean;
};

/**
 * A list as a CSV file (docs/operators/exports.md). Who has it is logged.
 * @throws Problem rate_limited while too many are under way; not_ready while the database does not
 *   answer
 */
export async function answerCsv(
  c: Context,
  { exports, accessLog }: Pick<Dependencies, 'exports' | 'accessLog'>,
  { operator, list, query, shopId, zone, forPeople }: Export,
): Promise<Response> {
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${list}-${new Date().toISOString().replaceAll(/:|\.\d+/g, '')}.csv"`,
    'cache-control': 'no-store',
  };
  // Nobody would read the file, and its query would never end.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const file = await exports.start(query, { zone, mark: forPeople });
  accessLog.exported({ operator, list, shopId });
  return c.body(file, 200, headers);
}
