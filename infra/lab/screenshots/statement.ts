import { BigNumber } from 'bignumber.js';
import { sql } from 'kysely';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { request } from '#infra/verify/harness/shops/merchant.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import type { TestStack } from '#infra/verify/harness/stacks/test-stack.ts';
import { dayMs } from '#shared/domain/day.ts';

/** By the column of the file. */
type Line = Readonly<Record<string, string>> & { direction: string; amount: string };

const header = 'kind,direction,leg_id,amount,currency,completed_at,operation_id,attempt';

/**
 * Yesterday's statement of the sandbox, which mostly matches, and two days without money. It closes
 * 10.00 below its lines.
 * @returns its path
 */
export async function importSampleStatement(stack: TestStack): Promise<string> {
  const lines = await moveToYesterday(stack.env['DATABASE_URL'] ?? '');
  const [missing, other, ...agreed] = lines;
  if (!missing || !other) throw new Error('there is no money for a statement');
  const known = { currency: 'RUB', completed_at: `${dayBefore(1)}T12:00:00.000Z` };
  const opening = '48200.00';
  await importDay(stack, dayBefore(3), { opening, closing: opening, lines: [] });
  await importDay(stack, dayBefore(2), { opening, closing: opening, lines: [] });
  const shown: Line[] = [
    ...agreed,
    { ...other, amount: '1250.00' },
    { kind: 'transfer', direction: 'in', leg_id: 'trn-70418823', amount: '1990.00', ...known },
    { kind: 'fee', direction: 'out', leg_id: 'fee-2026-11', amount: '342.60', ...known },
    { kind: 'settlement', direction: 'out', leg_id: 'set-118', amount: '15000.00', ...known },
  ];
  return importDay(stack, dayBefore(1), {
    opening,
    closing: computeClosingBalance(opening, shown, '10.00'),
    lines: shown,
  });
}

/** The closing balance by the lines, less the missing amount. */
function computeClosingBalance(opening: string, lines: readonly Line[], missing: string): string {
  const add = (sum: BigNumber, { direction, amount }: Line) =>
    direction === 'in' ? sum.plus(amount) : sum.minus(amount);
  return lines.reduce(add, new BigNumber(opening)).minus(missing).toFixed(2);
}

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

type Day = { opening: string; closing: string; lines: readonly Line[] };

async function importDay(
  stack: TestStack,
  day: string,
  { opening, closing, lines }: Day,
): Promise<string> {
  const path = `statements/sandbox/default/RUB/${day}`;
  const url = `${stack.urls.admin}/admin/v1/${path}`;
  const answer = await fetch(
    `${url}/import?opening_balance=${opening}&closing_balance=${closing}`,
    {
      method: 'POST',
      headers: { ...bearer(stack), 'content-type': 'text/csv' },
      body: [header, ...lines.map(formatLine)].join('\n'),
    },
  );
  if (!answer.ok) throw new Error(await answer.text());
  const shown = async () => {
    const { body } = await request(url, 'GET', undefined, bearer(stack));
    return body.source === 'file' && body.lines === lines.length;
  };
  await waitUntil('the statement is in the read models', shown, { timeoutMs: 20_000 });
  return `/${path}`;
}

/** Closes the finding of a fee. @returns the path of the form that closes the unknown one */
export async function closeFee(stack: TestStack, path: string): Promise<string> {
  const url = `${stack.urls.admin}/admin/v1${path}`;
  const { body } = await request(url, 'GET', undefined, bearer(stack));
  const findFindingId = (kind: string) =>
    (body.findings as { finding: string; finding_id: string }[]).find(
      ({ finding }) => finding === kind,
    )?.finding_id ?? '';
  const closing = {
    finding_id: findFindingId('fee'),
    decision: 'explained',
    note: 'Monthly fee, agreement No. 7',
  };
  await request(`${url}/close-finding`, 'POST', closing, bearer(stack));
  const closed = async () =>
    (await request(url, 'GET', undefined, bearer(stack))).body.findings_closed === 1;
  await waitUntil('the finding is closed in the read models', closed, { timeoutMs: 20_000 });
  return `${path}/close-finding/${encodeURIComponent(findFindingId('unknown_line'))}`;
}

const formatLine = (line: Line): string =>
  header
    .split(',')
    .map((column) => line[column])
    .join(',');

const bearer = ({ adminToken }: TestStack) => ({ authorization: `Bearer ${adminToken}` });

/**
 * A statement covers a past day, but the operations are a minute old: the rows of money and entries
 * in the read models are made older.
 */
async function moveToYesterday(url: string): Promise<Line[]> {
  const db = connectDatabase<unknown>(url, { applicationName: 'screenshots' });
  try {
    await sql`update gateway.legs set completed_at = ${atNoonBefore('completed_at')}`.execute(db);
    await sql`update gateway.journal_entries set posted_at = ${atNoonBefore('posted_at')}`.execute(
      db,
    );
    const { rows } = await sql<Line>`
      select 'transfer' as kind, case o.type when 'payment' then 'in' else 'out' end as direction,
        l.leg_id, l.amount::text as amount, l.currency,
        to_char(l.completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as completed_at,
        l.operation_id::text as operation_id, '1' as attempt
      from gateway.legs l join gateway.operations o using (operation_id)
      where l.provider = 'sandbox' and l.currency = 'RUB' and not l.synthetic order by l.completed_at, l.leg_id`.execute(
      db,
    );
    return rows;
  } finally {
    await db.destroy();
  }
}

const atNoonBefore = (column: string) =>
  sql`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '12 hours'
    + (${sql.ref(column)} - date_trunc('hour', ${sql.ref(column)}))`;
