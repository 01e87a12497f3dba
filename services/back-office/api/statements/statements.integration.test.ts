import { connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findLedgerPosition } from '#projections/views/ledger-position.ts';
import { tokens, problem } from '../../testing/admin.ts';
import { camt053File, mt940File } from '#shared/application/statements/testing/bank-files.ts';
import { maxFileBytes } from './import-file.ts';
import { useConsole } from '../../console/testing/console.ts';

const console = useConsole();

const path = '/admin/v1/statements/bank/default/RUB/2026-01-31';
const file = [
  'kind,direction,leg_id,amount,currency,completed_at',
  'transfer,in,=t1,100.00,RUB,2026-01-31T10:00:00.000Z',
  'fee,out,f1,3.00,RUB,2026-01-31T11:00:00.000Z',
].join('\r\n');
const balances = '?opening_balance=0.00&closing_balance=98.00';
/** Imports a file for an operator. */
const importTo = (to: string, body: string, token: string = tokens.operator) => {
  const headers = { 'content-type': 'text/csv' };
  return console.call(`POST ${to}`, { body, token, headers });
};
const send = (body: string, query = balances) => importTo(`${path}/import${query}`, body);
const close = (body: object, token: string = tokens.operator) =>
  console.call(`POST ${path}/close-finding`, { body, token });

test('imports a file for an operator, as a whole and once (R22.9)', async () => {
  const detail = expect.stringMatching(/^line 2: amount: .*1234\.50/);
  expect(await send(file.replace('100.00', '1e2'))).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', errors: [{ pointer: '/lines/2', detail }] },
  });
  expect((await console.call(`POST ${path}/import`, { body: {} })).status).toBe(415);
  expect((await send(file, '?opening=1')).status).toBe(400);
  const imported = { import: 1, lines: 2, outcome: 'imported' };
  expect(await send(file)).toMatchObject({ status: 200, body: imported });
  const unchanged = { import: 1, outcome: 'unchanged' };
  expect(await send(file)).toMatchObject({ status: 200, body: unchanged });
});

test('imports a bank’s file, and returns its format and encoding (R22.19)', async () => {
  const importAs = (type: string, body: string, query = '') => {
    const request = `POST ${path.replace('/bank/', '/sandbox/')}/import${query}`;
    return console.call(request, { body, headers: { 'content-type': type } });
  };
  expect(await importAs('application/xml', camt053File)).toMatchObject({
    status: 200,
    body: { outcome: 'imported', lines: 6, format: 'camt.053', encoding: 'utf-8', not_booked: 1 },
  });
  expect(await importAs('text/plain; charset=utf-8', mt940File)).toMatchObject({
    body: { outcome: 'imported', lines: 4, format: 'mt940' },
  });
  const events = await console.store.read('statement-sandbox.default.RUB.2026-01-31');
  const data = { opening_balance: '1000.00', closing_balance: '2007.50' };
  expect(events.at(-1)).toMatchObject({ data });
  const other = mt940File.replace(/:25:\d+/, ':25:9').replaceAll('RUB', 'USD');
  expect(await importAs('text/plain', `${mt940File}${other}`)).toMatchObject({
    body: {
      outcome: 'unchanged',
      left_out: [{ account_number: '9', currency: 'USD', lines: 4 }],
    },
  });
  const error = { pointer: '/lines/1', detail: expect.stringMatching(/^line 1: format: /) };
  expect(await importAs('text/csv', mt940File, '?format=1c')).toMatchObject({
    status: 400,
    body: { errors: [error] },
  });
  expect((await importAs('text/csv', file, '?format=pdf')).status).toBe(400);
  expect((await importAs('application/pdf', file)).status).toBe(415);
});

test('rejects values that the tables cannot store (R22.14)', async () => {
  for (const day of ['0000-01-01', '1999-12-31', '2100-01-01', '2026-02-30']) {
    expect((await importTo(`${path.replace('2026-01-31', day)}/import`, file)).status).toBe(404);
    expect((await console.call(`GET /admin/v1/statements?from=${day}`)).status).toBe(400);
  }
  const tooLarge = `?opening_balance=${'9'.repeat(60)}.00&closing_balance=0.00`;
  expect(await send(file, tooLarge)).toMatchObject(problem(400, 'invalid_request'));
  const closing = { finding_id: 'fee:\0', decision: 'explained', note: 'tariff' };
  expect(await close(closing)).toMatchObject(problem(400, 'invalid_request'));
});

test('does not close a finding whose amounts differ from those in the request (R22.8)', async () => {
  await console.waitForReadModels();
  const note = { finding_id: 'fee:f1', decision: 'explained', note: 'tariff' };
  for (const seen of [{ amount: '4.00' }, { amount: null }, { counted_amount: '3.00' }])
    expect(await close({ ...note, ...seen })).toMatchObject(problem(412, 'finding_changed'));
  expect((await close({ ...note, amount: '1e2' })).status).toBe(400);
});

test('lists findings by day, by kind and as a CSV file, and closes one with a note (R22.8)', async () => {
  await console.waitForReadModels();
  const day = await console.call<{ findings: object[] }>(`GET ${path}?limit=2`, {
    token: tokens.auditor,
  });
  expect(day).toMatchObject({
    status: 200,
    body: {
      lines: 2,
      confirmed: 0,
      findings_open: 3,
      imported_at: expect.stringMatching(/Z$/),
      statement_moved: '97.00',
      ledger_moved: '0.00',
      explained: '-3.00',
      unmatched: '100.00',
      unexplained: '0.00',
      ledger_position: '0.00',
      difference: '98.00',
      replaces_provider: false,
      imports: [{ import: 1, source: 'file', imported_by: 'oleg', lines: 2, total_in: '100.00' }],
      more_imports: false,
      kinds: [
        { finding: 'balance_differs', open: 1, closed: 0 },
        { finding: 'fee', open: 1, closed: 0 },
        { finding: 'unknown_line', open: 1, closed: 0 },
      ],
      findings: [
        { finding: 'balance_differs', amount: '98.00', counted_amount: '97.00' },
        { finding: 'fee' },
      ],
      next_cursor: expect.any(String),
    },
  });
  const list = async (query: string) =>
    (await console.call(`GET /admin/v1/statements?${query}`)).body;
  expect(await list('from=2026-01-31&provider=bank')).toMatchObject({
    statements: [{ day: '2026-01-31', findings_open: 3 }],
    next_cursor: null,
  });
  expect(await list('to=2026-01-30')).toMatchObject({ statements: [] });
  const note = { finding_id: 'fee:f1', decision: 'explained', note: 'as agreed' };
  expect((await close(note, tokens.auditor)).status).toBe(403);
  expect((await close({ ...note, finding_id: 'fee:f2' })).status).toBe(404);
  expect((await close({ ...note, note: '' })).status).toBe(400);
  const closed = { status: 'closed', note: 'as agreed' };
  expect(await close(note)).toMatchObject({ status: 200, body: closed });
  await console.waitForReadModels();
  const { body } = await console.call('GET /admin/v1/statement-findings?status=closed');
  const findings = [{ ...note, closed_by: 'oleg', line: 2 }];
  expect(body).toMatchObject({ findings, next_cursor: null });
  const url = `http://127.0.0.1:${console.port}/admin/v1/statement-findings.csv`;
  const headers = { authorization: `Bearer ${tokens.auditor}` };
  const csv = await fetch(`${url}?finding=unknown_line`, { headers });
  // A formula is escaped.
  expect(await csv.text()).toContain("'=t1");
});

test('omits the ledger position when its query times out', async () => {
  const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
  await console.db.transaction().execute(async (tx) => {
    await sql`lock table gateway.journal_entries in access exclusive mode`.execute(tx);
    expect(await findLedgerPosition(console.db, of, 200)).toBeUndefined();
  });
  const position = { ledger_position: '0.00', difference: '98.00' };
  expect(await findLedgerPosition(console.db, of)).toEqual(position);
});

test('returns 404 for a day without a statement', async () => {
  for (const day of ['2026-01-30', 'nonsense'])
    expect((await console.call(`GET ${path.replace('2026-01-31', day)}`)).status).toBe(404);
});

test('rejects a file for an unknown account', async () => {
  const importFor = (account: string) =>
    importTo(
      `/admin/v1/statements/${account}/RUB/2026-01-20/import`,
      file.replaceAll('01-31', '01-20'),
    );
  for (const unknown of ['bank/unknown', 'other/default'])
    expect(await importFor(unknown)).toMatchObject(problem(404, 'not_found'));
  const credentials = { account: '40702810000000000077', key: 'a-key-of-the-second-account' };
  const body = { account: 'second', label: 'Second', credentials };
  expect((await console.call('POST /admin/v1/providers/bank/accounts', { body })).status).toBe(201);
  const imported = { account: 'second', lines: 2 };
  expect(await importFor('bank/second')).toMatchObject({ status: 200, body: imported });
});

test('imports one file at a time in a process (R22.15)', async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, index) => `fee,out,f${index},3.00,RUB,2026-01-29T11:00:00.000Z`,
  );
  const body = ['kind,direction,leg_id,amount,currency,completed_at', ...rows].join('\n');
  const sendAll = () => importTo(`${path.replace('01-31', '01-29')}/import`, body);
  const answers = await Promise.all([sendAll(), sendAll()]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  const refused = answers.find(({ status }) => status === 503);
  expect(refused).toMatchObject(problem(503, 'not_ready'));
  const unchanged = { outcome: 'unchanged', lines: 20_000 };
  expect(await sendAll()).toMatchObject({ status: 200, body: unchanged });
});

type Upload = { socket: Socket; answer: Promise<string> };

/**
 * Starts an upload whose head the service has read, and does not complete it; `answer` is the
 * response to it.
 */
function startUpload(token: string = tokens.operator): Promise<Upload> {
  const started = Promise.withResolvers<Upload>();
  const answer = Promise.withResolvers<string>();
  const socket = connect(console.port, '127.0.0.1', () => {
    const head = [
      `POST ${path}/import HTTP/1.1`,
      'host: admin',
      `authorization: Bearer ${token}`,
      'content-type: text/csv',
      `content-length: ${file.length}`,
      'expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
  });
  socket.once('data', (first) => {
    expect(first.toString()).toContain('HTTP/1.1 100');
    socket.once('data', (data) => answer.resolve(data.toString()));
    socket.write(file.slice(0, 20));
    started.resolve({ socket, answer: answer.promise });
  });
  socket.once('error', started.reject);
  return started.promise;
}

test('rejects a file whose token was revoked before it arrived completely (R16.3)', async () => {
  const issued = await console.issueToken('leaver', 'operator');
  const { socket, answer } = await startUpload(issued.token);
  expect((await console.call(`DELETE /admin/v1/tokens/${issued.token_id}`)).status).toBe(204);
  socket.write(file.slice(20));
  expect(await answer).toContain('HTTP/1.1 401');
  socket.destroy();
});

test('limits the slow uploads of a token, which do not block another file (R22.15)', async () => {
  const slow = [await startUpload(), await startUpload()];
  try {
    const third = await startUpload();
    slow.push(third);
    // The third exceeds the slots of a token, and is rejected while the others continue.
    expect(await Promise.race(slow.map(({ answer }) => answer))).toContain('HTTP/1.1 503');
    expect(await send(file)).toMatchObject({ status: 200, body: { outcome: 'unchanged' } });
  } finally {
    for (const { socket } of slow) socket.destroy();
  }
});

test('imports a file that is larger than a form’s, and counts the lines of one with too many (R22.15)', async () => {
  const day = '2026-02-10';
  const to = `${path.replace('2026-01-31', day)}/import`;
  const [header = ''] = file.split('\r\n');
  const row = (at: number) => `transfer,in,t${at},1.00,RUB,${day}T10:00:00Z`;
  const blanks = Array.from({ length: 2_200 }, () => ' '.repeat(8_000));
  const wide = [header, row(1), ...blanks, row(2)].join('\n');
  expect(wide.length).toBeGreaterThan(maxFileBytes);
  const imported = { status: 200, body: { lines: 2, outcome: 'imported' } };
  // The uploads of the test before may still hold slots: 503, and a client tries again.
  await expect.poll(() => importTo(to, wide)).toMatchObject(imported);
  const many = [header, ...Array.from({ length: 100_007 }, (_, at) => row(at))].join('\n');
  const detail = expect.stringMatching(/^line 100002: too_many_lines: .*\(100007\)$/);
  expect(await importTo(to, many, tokens.admin)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/lines/100002', detail }] },
  });
});
