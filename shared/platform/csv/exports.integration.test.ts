import { Hono } from 'hono';
import { sql } from 'kysely';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { serveApp } from '#shared/platform/http/testing/serve-app.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { foreign, own, timeColumn, type CsvQuery } from './columns.ts';
import type { ExportLimits } from './export-slots.ts';
import { createExports, exportLimits } from './exports.ts';

const applicationName = 'exports-test';
const open = () =>
  connectDatabase<unknown>(inject('databaseUrl'), { applicationName, maxConnections: 4 });
let db: ReturnType<typeof open>;
beforeAll(() => {
  db = open();
});
afterAll(() => db.destroy());

const options = { zone: 'UTC', mark: false, holder: 'one' };
const start = (limits: ExportLimits = exportLimits) => createExports(db, { logger, limits });

const numbers = (count: number): CsvQuery => ({
  columns: [own('n'), foreign('text', sql`repeat('x', 200)`)],
  from: sql`from generate_series(1, ${count}) as n`,
});
const textOf = (file: ReadableStream<Uint8Array>) => new Response(file).text();
const written = async (query: CsvQuery, more: Partial<typeof options> = {}) =>
  textOf(await start().start(query, { ...options, ...more }));

/** PostgreSQL backends in which an export has a transaction open. */
const openTransactions = async () => {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where application_name = ${applicationName}
      and state like 'idle in transaction%'`.execute(db);
  return rows.map(({ pid }) => pid);
};
const noTransactionIsOpen = () =>
  eventually('no transaction is open', async () => (await openTransactions()).length === 0);

it('reports the progress and the final state of an export to its holder only', async () => {
  const exports = start();
  const follow = { ...options, mark: true, follow: 'a' };
  const of = (holder: string, token = 'a') => exports.progressOf(holder, token);
  const file = (await exports.start(numbers(5_000), follow)).getReader();
  await file.read();
  expect(of('one')?.state).toBe('writing');
  expect(of('one')?.rows).toBeGreaterThanOrEqual(1_000);
  expect([of('two'), of('one', 'b')]).toEqual([undefined, undefined]);
  await file.cancel();
  await noTransactionIsOpen();
  expect(of('one')?.state).toBe('broken');
  await textOf(await exports.start(numbers(2_500), { ...follow, follow: 'b' }));
  expect(of('one', 'b')).toEqual({ rows: 2_500, state: 'written' });
});

it('says in its last line why rows are missing', async () => {
  const cut: CsvQuery = { columns: [own('n')], from: sql`from generate_series(1, 2) as n` };
  expect(await written({ ...cut, note: 'the rest, and more' })).toBe(
    'n\r\n1\r\n2\r\n"the rest, and more"\r\n',
  );
  expect(await written(cut)).toBe('n\r\n1\r\n2\r\n');
});

it('writes plain amounts, escaped texts, times with offset, and a BOM on request', async () => {
  const query: CsvQuery = {
    columns: [
      own('amount', sql`(-97.5)::numeric(38,2)`),
      foreign('note', sql`'=1+1'::text`),
      foreign('nothing', sql`null::text`),
      timeColumn('summer', sql`timestamptz '2026-07-01 22:30:00.5Z'`),
      timeColumn('winter', sql`timestamptz '2026-01-01 00:00:00Z'`),
    ],
    from: sql``,
  };
  expect(await written(query, { zone: 'Europe/Berlin', mark: true })).toBe(
    'amount,note,nothing,summer,winter\r\n' +
      "-97.50,'=1+1,,2026-07-02T00:30:00.500+02:00,2026-01-01T01:00:00.000+01:00\r\n",
  );
  const marked = await new Response(
    await start().start(query, { ...options, mark: true }),
  ).arrayBuffer();
  expect([...new Uint8Array(marked, 0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(await written(query)).toContain('2026-07-01T22:30:00.500+00:00');
});

it('writes each row once, and only the header if there are no rows', async () => {
  const lines = (await written(numbers(12_345))).split('\r\n');
  expect(lines).toHaveLength(12_347);
  expect(lines.slice(1, -1).map((line) => Number(line.split(',')[0]))).toEqual(
    Array.from({ length: 12_345 }, (_, index) => index + 1),
  );
  expect(await written(numbers(0))).toBe('n,text\r\n');
  expect(await written(numbers(1_000))).toMatch(/\r\n1000,x+\r\n$/);
  await noTransactionIsOpen();
});

it('reads from the database no faster than the file is read', async () => {
  // Each row that is read takes a lock.
  const query: CsvQuery = {
    columns: [own('locked', sql`pg_try_advisory_xact_lock(7, n)`)],
    from: sql`from generate_series(1, 6000) as n`,
  };
  const reader = (await start().start(query, options)).getReader();
  const rowsRead = async () => {
    const { rows } = await sql<{ count: string }>`
      select count(*) from pg_locks where locktype = 'advisory' and classid = 7`.execute(db);
    return Number(rows[0]?.count);
  };
  expect(await rowsRead()).toBe(1_000);
  await reader.read();
  expect(await rowsRead()).toBe(1_000);
  await reader.read();
  expect(await rowsRead()).toBe(2_000);
  await reader.cancel();
  await noTransactionIsOpen();
  expect(await rowsRead()).toBe(0);
});

it('makes the planner favour the first rows over a full sort', async () => {
  const query: CsvQuery = {
    columns: [own('fraction', sql`current_setting('cursor_tuple_fraction')::numeric < 0.001`)],
    from: sql``,
  };
  expect(await written(query)).toBe('fraction\r\ntrue\r\n');
});

it('rejects an export over the limit until another one is cancelled or fails', async () => {
  const exports = start({ ...exportLimits, atOnce: 1 });
  const file = await exports.start(numbers(5_000), options);
  await expect(exports.start(numbers(1), options)).rejects.toMatchObject({ code: 'rate_limited' });
  await file.cancel();
  expect(await textOf(await exports.start(numbers(1), options))).toMatch(/^n,text\r\n1,/);
  await expect(
    exports.start({ columns: [own('a')], from: sql`from nowhere.at_all` }, options),
  ).rejects.toMatchObject({ code: 'not_ready' });
  expect(await textOf(await exports.start(numbers(1), options))).toMatch(/^n,text\r\n1,/);
});

it('limits the exports of each holder, so that others get slots (R16.16)', async () => {
  const exports = start({ ...exportLimits, atOnce: 4, perHolder: 2, reservedForNew: 0 });
  const of = (holder: string) => exports.start(numbers(5_000), { ...options, holder });
  const files = [await of('one'), await of('one')];
  await expect(of('one')).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterMs: 30_000,
  });
  files.push(await of('other'), await of('another'));
  await expect(of('third')).rejects.toMatchObject({ code: 'rate_limited' });
  for (const file of files.splice(2)) await file.cancel();
  await expect(of('one')).rejects.toMatchObject({ code: 'rate_limited' });
  await files.pop()?.cancel();
  files.push(await of('one'));
  for (const file of files) await file.cancel();
  await noTransactionIsOpen();
});

it('reserves slots for holders without an export: two cannot take all (R16.16)', async () => {
  const exports = start({ ...exportLimits, atOnce: 4, perHolder: 2, reservedForNew: 2 });
  const of = (holder: string) => exports.start(numbers(5_000), { ...options, holder });
  const files = [await of('one'), await of('one'), await of('two')];
  await expect(of('two')).rejects.toMatchObject({ code: 'rate_limited' });
  files.push(await of('three'));
  await expect(of('four')).rejects.toMatchObject({ code: 'rate_limited' });
  for (const file of files) await file.cancel();
  await noTransactionIsOpen();
});

it('fails the download if the connection is lost or time runs out (R16.16)', async () => {
  const file = await start().start(numbers(50_000), options);
  const [pid] = await openTransactions();
  await sql`select pg_terminate_backend(${pid})`.execute(db);
  await expect(textOf(file)).rejects.toThrow('the export broke off');
  const timedOut = await start({ ...exportLimits, maxMs: -1 })
    .start(numbers(5_000), options)
    .then(textOf)
    .catch((error: unknown) => error);
  expect(timedOut).toBeInstanceOf(Error);
  await noTransactionIsOpen();
});

it('ends the export of a reader below 16 KB a second once another holder waits for it (R16.16)', async () => {
  let nowMs = 0;
  const limits = { ...exportLimits, atOnce: 2, perHolder: 1, reservedForNew: 0 };
  const exports = createExports(db, { logger, limits, now: () => nowMs });
  const of = (holder: string) => exports.start(numbers(5_000), { ...options, holder });
  const [slow, fast] = [(await of('slow')).getReader(), (await of('fast')).getReader()];
  const chunk = (await slow.read()).value?.length ?? 0;
  expect(chunk).toBeGreaterThan(200_000);
  await fast.read();
  // As much time as a reader of 16 KB a second has for the chunk, and ten seconds.
  nowMs += (chunk / 16_384 + 10) * 1_000;
  await fast.read();
  await expect(of('third')).rejects.toMatchObject({ code: 'rate_limited' });
  nowMs += 1;
  // Nobody waits: a slow reader has all the time.
  expect((await slow.read()).value?.length).toBeGreaterThan(200_000);
  nowMs += 60_000;
  await fast.read();
  await expect(of('slow')).rejects.toMatchObject({ code: 'rate_limited' });
  const third = await of('third');
  await expect(slow.read()).rejects.toThrow('its reader was too slow');
  expect(await textOf(third)).toMatch(/\r\n5000,x+\r\n$/);
  expect((await fast.read()).done).toBe(false);
  await fast.cancel();
  await noTransactionIsOpen();
});

it('does not end an export that waits for its query, not for its reader (R16.16)', async () => {
  let nowMs = 0;
  const limits = { ...exportLimits, atOnce: 1, perHolder: 1, reservedForNew: 0 };
  const exports = createExports(db, { logger, limits, now: () => nowMs });
  const query = Promise.withResolvers<void>();
  async function* write() {
    yield 'first,';
    await query.promise;
    yield 'second';
  }
  const text = textOf(await exports.startText(write, { holder: 'one' }));
  await new Promise((resolve) => setImmediate(resolve));
  nowMs += 60_000;
  const refused = exports.start(numbers(1), { ...options, holder: 'two' });
  await expect(refused).rejects.toMatchObject({ code: 'rate_limited' });
  query.resolve();
  expect(await text).toBe('first,second');
});

it('cuts the connection of a reader that is ended, so that its file is not mistaken for whole (R16.16)', async () => {
  let nowMs = 0;
  const limits = { atOnce: 1, perHolder: 1, reservedForNew: 0, maxMs: Infinity };
  const exports = createExports(db, { logger, limits, now: () => nowMs });
  const app = new Hono();
  app.get('/', async (c) => c.body(await exports.start(numbers(500_000), options)));
  const server = await serveApp(app);
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'readable');
  const other = { ...options, holder: 'other' };
  await expect(exports.start(numbers(1), other)).rejects.toMatchObject({ code: 'rate_limited' });
  // The client reads nothing: its buffers fill, and the export waits.
  let file: ReadableStream<Uint8Array> | undefined;
  const starts = async () => {
    nowMs += 60_000;
    file = await exports.start(numbers(1), other).catch(() => undefined);
    return file !== undefined;
  };
  await eventually('it is ended', starts);
  expect(file && (await textOf(file))).toMatch(/^n,text\r\n1,/);
  let received = '';
  socket.on('data', (data) => (received += data.toString('latin1')));
  socket.resume();
  await Promise.race([once(socket, 'close'), once(socket, 'error')]);
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*transfer-encoding: chunked/i);
  expect(received).not.toMatch(/\r\n0\r\n\r\n$/);
  expect(received).not.toContain('500000,');
});
