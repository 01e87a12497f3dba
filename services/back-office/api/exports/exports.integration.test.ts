import { sql } from 'kysely';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { appendHistories } from '#projections/testing/append.ts';
import { paidHistory } from '#shared/domain/operation/testing/histories.ts';
import { createExports, exportLimits } from '#shared/platform/csv/exports.ts';
import { newId } from '#shared/platform/ids.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { createAdminAccessLog } from '../access-log.ts';
import { useConsole } from '../../console/testing/console.ts';
import { visitorAt, type Visitor } from '../../console/testing/visitor.ts';
import { tokens, type TestAdmin } from '../../testing/admin.ts';

const applicationName = 'admin-exports-test';
const console = useConsole();
let instance: TestAdmin;
let auditor: Visitor;
let shopId: string;
let other: string;
let paid: string;
const lines: string[] = [];
const connections = () => connectDatabase<unknown>(console.databaseUrl, { applicationName });
let db: ReturnType<typeof connections>;

beforeAll(async () => {
  db = connections();
  instance = await console.startInstance({
    exports: createExports(db, { logger }),
    accessLog: createAdminAccessLog({ write: (text) => void lines.push(text) }),
  });
  auditor = await console.visitor(tokens.auditor);
  shopId = await console.newShopWithWebhook('=HYPERLINK("http://evil.example";"Ünïçödé")');
  other = await console.newShop('Books');
  paid = newId();
  await appendHistories(console.store, [
    paidHistory({ operationId: paid, shopId, merchantOperationId: '@first, "quoted"' }),
    paidHistory({ operationId: newId(), shopId, merchantOperationId: 'second', routes: [] }),
    paidHistory({ operationId: newId(), shopId: other, merchantOperationId: 'third' }),
  ]);
  // More than ten entries: in text order, the eleventh would come before the third.
  const further = Array.from({ length: 10 }, (_, index) => [`c${index}`, '0.01'] as const);
  for (const [id, amount] of [['a', '50.00'], ['b', '-147.60'], ...further] as const)
    await console.call(`POST /admin/v1/shops/${shopId}/adjustments`, {
      body: { adjustment_id: id, currency: 'RUB', amount, reason: "+cmd|' /C calc'!A0" },
    });
  await console.call(`POST /admin/v1/shops/${shopId}/webhook/ping`);
  await sql`insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, status_code, answer, error)
    select message_id, 1, timestamptz '2026-01-31 12:00:00Z', 25, 'http://127.0.0.1:9/?key=hidden', null, null, '-refused'
    from webhooks.message where shop_id = ${shopId}`.execute(console.db);
  await console.waitForReadModels();
});
afterAll(async () => {
  await instance.stop();
  await db.destroy();
});

const get = (path: string, { method = 'GET', of = instance } = {}) => {
  const headers = { authorization: `Bearer ${tokens.auditor}` };
  return fetch(`http://127.0.0.1:${of.port}/admin/v1/${path}`, { method, headers });
};

/** The rows of a file without line breaks in its cells, keyed by the names of the columns. */
function records(text: string): Record<string, string>[] {
  const [names = [], ...rows] = text
    .split('\r\n')
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
      ),
    );
  return rows.map((row) =>
    Object.fromEntries(names.map((name, at) => [name, row[at] ?? 'missing'])),
  );
}
const file = async (path: string) => records(await (await get(path)).text());
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

describe('a CSV file of the API', () => {
  test('is an attachment without a byte order mark', async () => {
    const answer = await get('operations.csv');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="operations-\d{4}-\d\d-\d\dT\d{6}Z\.csv"$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.bytes());
    expect(text).toMatch(/^operation_id,type,status,shop_id,shop_name,/);
  });

  test('lists operations, with formulas escaped', async () => {
    const all = await file('operations.csv');
    expect(all).toHaveLength(3);
    const [row] = await file(`operations.csv?shop_id=${shopId.toUpperCase()}&status=completed`);
    expect(row).toMatchObject({
      operation_id: paid,
      shop_name: '\'=HYPERLINK("http://evil.example";"Ünïçödé")',
      merchant_operation_id: '\'@first, "quoted"',
      expected_amount: '100.00',
      settlement_amount: '97.50',
      decline_reason: '',
      created_at: expect.stringMatching(iso),
    });
  });

  test('has the filters of the list', async () => {
    const count = async (query: string) => (await file(`operations.csv?${query}`)).length;
    const listed = async (query: string) => {
      const path = `GET /admin/v1/operations?${query}`;
      return (await console.call<{ operations: unknown[] }>(path)).body.operations.length;
    };
    for (const [query, expected] of [
      [`shop_id=${shopId}`, 2],
      ['status=declined', 1],
      ['type=payout', 0],
      ['method=WT_RUB_C2C', 3],
      ['method=WT_RUB_PHONE', 0],
      ['merchant_operation_id=third', 1],
      ['created_from=2100-01-01T00:00:00Z', 0],
      ['created_to=2100-01-01T00:00:00%2B03:00', 3],
    ] as const)
      expect([query, await count(query), await listed(query)]).toEqual([query, expected, expected]);
  });

  test.each([
    ['Asia/Kolkata', /\+05:30$/],
    ['US/Pacific', /-0[78]:00$/],
    ['EST5EDT', /-0[45]:00$/],
    ['CET', /\+0[12]:00$/],
  ])('has times in the requested zone, also by an old name of it: %s', async (zone, offset) => {
    const [row] = await file(`operations.csv?shop_id=${other}&time_zone=${zone}`);
    expect(row?.['created_at']).toMatch(offset);
  });

  test('lists the journal, with negative amounts unescaped', async () => {
    const rows = await file(`journal.csv?shop_id=${shopId}&currency=RUB`);
    const adjustments = rows.filter(({ kind }) => kind === 'adjustment').slice(0, 2);
    const reason = "'+cmd|' /C calc'!A0";
    expect(adjustments).toMatchObject([
      { to_balance: '50.00', to_external: '-50.00', reason },
      { to_balance: '-147.60', to_external: '147.60', reason },
    ]);
    expect(rows.map(({ revision }) => Number(revision))).toEqual(rows.map((_, index) => index));
    expect(adjustments[0]?.['posted_at']).toMatch(iso);
    for (const { operation_id, merchant_operation_id: of } of rows)
      expect(of === '').toBe(operation_id === '');
    expect(await file(`journal.csv?shop_id=${shopId}&currency=EUR`)).toEqual([]);
    expect(await file(`journal.csv?shop_id=${shopId}&posted_to=2000-01-01T00:00:00Z`)).toEqual([]);
  });

  test('lists balances', async () => {
    const [row, ...more] = await file(`balances.csv?shop_id=${shopId}`);
    expect(more).toEqual([]);
    const position = { balance: '-97.50', current_minus: '97.50', entries: '12' };
    expect(row).toMatchObject({ currency: 'RUB', overdraft_limit: 'unlimited', ...position });
  });

  test('lists webhooks with each attempt, without URLs', async () => {
    const text = await (await get(`webhook-deliveries.csv?shop_id=${shopId}`)).text();
    expect(text).not.toContain('hidden');
    const attempted = { attempt: '1', attempted_at: '2026-01-31T12:00:00.000+00:00' };
    const outcome = { duration_ms: '25', status_code: '', error: "'-refused" };
    expect(records(text)).toMatchObject([
      { type: 'ping', status: 'pending', operation_id: '', ...attempted, ...outcome },
    ]);
    expect(await file(`webhook-deliveries.csv?shop_id=${shopId}&status=delivered`)).toEqual([]);
    expect(await file(`webhook-deliveries.csv?shop_id=${other}`)).toEqual([]);
    expect(await file(`webhook-deliveries.csv?operation_id=${paid}`)).toEqual([]);
  });

  test('is logged with its reader, but not for a HEAD or a rejected request (R16.16)', async () => {
    lines.length = 0;
    await get(`journal.csv?shop_id=${shopId}`).then((answer) => answer.text());
    const head = await get('operations.csv', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    await get('operations.csv?limit=1').then((answer) => answer.text());
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { log: 'access', operator: 'anna', role: 'auditor', exported: 'journal', shop_id: shopId },
    ]);
    expect(lines).toHaveLength(1);
  });

  test('is limited per token, for every list (R16.16)', async () => {
    const limits = { ...exportLimits, perHolder: 0 };
    const exports = createExports(db, { logger, limits });
    const limited = await console.startInstance({ exports });
    const ofMoney = ['operations', 'journal', 'balances', 'statements', 'statement-findings'];
    for (const list of [...ofMoney, 'activity', 'webhook-deliveries'])
      expect([list, (await get(`${list}.csv`, { of: limited })).status]).toEqual([list, 429]);
    const visitor = visitorAt(limited.port);
    await visitor.signIn(tokens.auditor);
    expect((await visitor.get('/operations.csv')).status).toBe(429);
    await limited.stop();
  });

  test('ends its query when the reader disconnects (R16.16)', async () => {
    await sql`insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, error)
      select message_id, n, now(), 1, '', repeat('x', 2000) from webhooks.message, generate_series(2, 40000) as n
      where shop_id = ${shopId}`.execute(console.db);
    const openQueries = async () => {
      const { rows } = await sql<{ count: string }>`
        select count(*) from pg_stat_activity
        where application_name = ${applicationName} and state like 'idle in transaction%'`.execute(
        console.db,
      );
      return Number(rows[0]?.count);
    };
    const socket = connect(instance.port, '127.0.0.1');
    socket.on('error', () => undefined).pause();
    socket.write(
      `GET /admin/v1/webhook-deliveries.csv HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokens.auditor}\r\n\r\n`,
    );
    // The file is larger than the kernel's buffers, so the query waits for its reader.
    await expect.poll(openQueries).toBe(1);
    socket.destroy();
    await expect.poll(openQueries).toBe(0);
    await sql`delete from webhooks.attempt where number > 1`.execute(console.db);
  });
});

describe('a CSV file of the console', () => {
  const link = async (page: string, name = 'Export CSV') => {
    const language = name === 'Export CSV' ? 'en' : 'ru';
    const { text } = await auditor.get(page, { 'accept-language': language });
    const [, href] = new RegExp(`href="([^"]*)"[^>]*>\\s*${name}<`).exec(text) ?? [];
    return href?.replaceAll('&amp;', '&');
  };

  test('is linked with the filters of the page', async () => {
    const filters = `shop=${shopId}&type=payment&status=declined&method=WT_RUB_C2C&from=2020-01-01&to=2100-01-01`;
    expect(await link(`/operations?${filters}`)).toBe(`/operations.csv?${filters}`);
    expect(await link('/operations', 'Экспорт CSV')).toBe('/operations.csv');
    expect(await link('/operations?q=third')).toBe('/operations.csv?q=third');
    expect(await link('/balances')).toBe('/balances.csv');
    const journal = `/journal.csv?shop=${shopId}&currency=RUB`;
    expect(await link(`/shops/${shopId}/ledger/RUB`)).toBe(journal);
    const pending = await link(`/shops/${shopId}/messages?status=pending&operation_id=`);
    expect(pending).toBe(`/webhook-deliveries.csv?shop=${shopId}&status=pending`);
  });

  test('has a byte order mark, and the rows of the page', async () => {
    const rows = async (path: string) => {
      const { text, headers } = await auditor.get(path);
      expect(headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
      return text;
    };
    expect(await rows(`/operations.csv?shop=${shopId}&status=declined`)).toContain(',second,');
    expect(await rows(`/operations.csv?shop=${shopId}&status=declined`)).not.toContain('third');
    expect(await rows(`/operations.csv?to=2000-01-01`)).not.toContain('third');
    expect(await rows('/balances.csv')).toContain(',-97.50,');
    expect(await rows(`/journal.csv?shop=${shopId}&currency=RUB`)).toContain(',-147.60,');
    expect(await rows(`/webhook-deliveries.csv?shop=${shopId}&status=`)).toContain(',ping,');
    const url = `http://127.0.0.1:${console.port}/balances.csv`;
    const raw = await fetch(url, { headers: { cookie: auditor.cookie() } });
    expect([...(await raw.bytes()).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect((await auditor.get('/journal.csv?shop=absent&currency=RUB')).status).toBe(404);
  });
});
