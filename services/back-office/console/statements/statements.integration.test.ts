import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import {
  camt053File,
  inWindows1251,
  oneCFile,
} from '#shared/application/statements/testing/bank-files.ts';
import { dayAfter, newestDay } from '#shared/application/statements/days.ts';
import { tokens, type TestAdmin } from '../../testing/admin.ts';
import { heldMs } from '../actions/uploaded-files.ts';
import { sweepHeldFiles } from '../actions/sweep-held-files.ts';
import { useConsole } from '../testing/console.ts';
import { hidden, pageWith, visitorAt, type Page, type Visitor } from '../testing/visitor.ts';

// The day must not change during these tests.
await avoidMidnight();

const console = useConsole();
const sandbox = sandboxForFile();
const instance = forFile(() => startWith(sandbox.config));

/** An instance with the real connectors to the providers of an environment. */
async function startWith(config: Parameters<typeof createProviders>[0]): Promise<TestAdmin> {
  const { providers: connectors, accounts, close } = createProviders(config, logger);
  const providers = ['sandbox', 'bank'];
  const started = await console.startInstance({ providers, connectors, accounts });
  return { ...started, stop: async () => void (await Promise.all([started.stop(), close()])) };
}

const path = '/admin/v1/statements/bank/default/RUB/2026-01-31';
const page = '/statements/bank/default/RUB/2026-01-31';
const file = [
  'kind,direction,leg_id,amount,currency,completed_at',
  'transfer,in,=t1,100.00,RUB,2026-01-31T10:00:00.000Z',
  'fee,out,f1,3.00,RUB,2026-01-31T11:00:00.000Z',
].join('\r\n');

const closeFinding = (of: string, body: object) =>
  console.call(`POST ${of}/close-finding`, { body, token: tokens.operator });

/** A visitor who is signed in at the instance that has the providers. */
async function operator(token: string = tokens.operator, { port } = instance): Promise<Visitor> {
  const visitor = visitorAt(port);
  expect((await visitor.signIn(token)).status).toBe(303);
  return visitor;
}

/** Sends the form with a file, as a browser does. */
function upload(
  visitor: Visitor,
  values: Record<string, string>,
  bytes?: string | Uint8Array<ArrayBuffer>,
): Promise<Page> {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  if (bytes !== undefined) form.set('file', new Blob([bytes], { type: 'text/csv' }), 'day.csv');
  return visitor.upload('/statements/import', form);
}

const noBalances = { opening_balance: '', closing_balance: '' };
const filled = { account: 'bank/default', currency: 'RUB', day: '2026-01-31', ...noBalances };

test('shows each day with advice on its findings, and closes a finding', async () => {
  const send = { body: file, token: tokens.operator, headers: { 'content-type': 'text/csv' } };
  const balances = '?opening_balance=0.00&closing_balance=98.00';
  expect((await console.call(`POST ${path}/import${balances}`, send)).status).toBe(200);
  await console.waitForReadModels();
  const note = { finding_id: 'fee:f1', decision: 'explained', note: 'as agreed' };
  expect((await closeFinding(path, note)).status).toBe(200);
  await console.waitForReadModels();
  const visitor = await console.visitor(tokens.operator);
  const list = (await visitor.get('/statements?lang=en')).text;
  expect(list).toContain('Findings: 2');
  expect(list).toContain(`href="${page}"`);
  const day = (await visitor.get(`${page}?lang=en`)).text;
  expect(day).toContain('Ask the provider what this transfer was for.');
  expect(day).toContain('Explained: as agreed');
  const moved = /Movement by the statement<.*?97\.00.*Unexplained<.*?ledger and operations agree/;
  expect(day).toMatch(moved);
  expect(day).toMatch(/Closing balance minus what the provider owes<.*?98\.00/);
  expect((await visitor.get(`${page}?lang=ru`)).text).toContain('Остаток не сходится');
  const pending = async () =>
    (await visitor.get(`${page}?import=1&lang=en`)).text.includes('data-pending');
  expect(await pending()).toBe(false);
  // As if the tables did not have the import yet: the page is marked as pending.
  await sql`update gateway.statements set import = import - 1`.execute(console.db);
  expect(await pending()).toBe(true);
  await sql`update gateway.statements set import = import + 1`.execute(console.db);
  expect(await pending()).toBe(false);
  expect((await visitor.get(`${page}/close-finding/%00`)).status).toBe(404);
  const finding_id = 'unknown_line:=t1';
  const decision = { finding_id, decision: 'provider_error', note: '<b>requested</b>' };
  const form = `${page}/close-finding/${encodeURIComponent(finding_id)}`;
  const done = await visitor.act(form, decision);
  expect(done.text).toContain('The finding is closed.');
  await console.waitForReadModels();
  expect((await visitor.get(page)).text).toContain('&lt;b&gt;requested&lt;/b&gt;');
  const activity = (await visitor.get('/activity?lang=en')).text;
  expect(activity).toContain('Difference from a statement closed');
  expect(activity).toContain(`href="${page}">bank/default/RUB/2026-01-31</a>`);
  expect((await visitor.get('/activity?lang=ru&kind=StatementImported')).text).toContain('>oleg<');
  const auditor = await console.visitor(tokens.auditor);
  expect((await auditor.get(page)).text).not.toContain('close-finding');
  // A day without a statement has a page to fetch it; an invalid day has none.
  const none = await visitor.get('/statements/bank/default/RUB/2026-01-30');
  expect(none.text).toContain('No statement');
  const unknown = ['other/default/RUB/2026-01-30', 'bank/unknown/RUB/2026-01-30'];
  for (const nothing of [...unknown, 'bank/default/RUB/2099-01-01'])
    expect((await visitor.get(`/statements/${nothing}`)).status).toBe(404);
});

test('shows the earlier note of a finding that is open again (R22.8)', async () => {
  const [at, on] = ['/admin/v1/statements/bank/default/RUB/2026-01-15', '2026-01-15'];
  const headers = { 'content-type': 'text/csv' };
  const send = async (fee: string) => {
    const body = file.replaceAll('2026-01-31', on).replace('3.00', fee);
    await console.call(`POST ${at}/import`, { body, token: tokens.operator, headers });
    await console.waitForReadModels();
  };
  await send('3.00');
  const decision = { decision: 'explained', note: 'the tariff of 3.00' };
  const body = { finding_id: 'fee:f1', ...decision, amount: '3.00' };
  expect((await closeFinding(at, body)).status).toBe(200);
  const find = async () => {
    await console.waitForReadModels();
    const answer = await console.call<{ findings: object[] }>(`GET ${at}?finding=fee`);
    return answer.body.findings[0];
  };
  expect(await find()).toMatchObject({ status: 'closed', note: body.note, earlier: null });
  await send('4.00');
  const earlier = { note: body.note, by: 'oleg', at: expect.stringMatching(/Z$/) };
  expect(await find()).toMatchObject({ status: 'open', note: null, closed_by: null, earlier });
  const visitor = await operator();
  const day = `/statements/bank/default/RUB/${on}`;
  expect((await visitor.get(day)).text).toMatch(/Noted before: the tariff of 3\.00 \(.*?oleg/);
  const closing = (await visitor.get(`${day}/close-finding/fee%3Af1`)).text;
  expect(closing).toContain('the tariff of 3.00');
});

test('imports a file that was uploaded, corrected, previewed and confirmed (R22.17)', async () => {
  const visitor = await operator();
  const query = 'account=bank%2Fdefault&currency=RUB&day=2026-01-31';
  const opened = (await visitor.get(`/statements/import?${query}`)).text;
  for (const value of ['value="bank/default" selected', 'value="2026-01-31"'])
    expect(opened).toContain(value);
  const form_token = hidden(opened, 'form_token');
  const form = { ...filled, form_token, closing_balance: '98.00', opening_balance: '0.00' };

  const wrong = await upload(visitor, form, file.replace('100.00', '1e2').replace('f1', ''));
  expect(wrong).toMatchObject(pageWith(400, 'Lines with errors: 2'));
  for (const part of ['give the amount without sign', 'value="98.00"'])
    expect(wrong.text).toContain(part);
  expect(hidden(wrong.text, 'held')).toBe('');
  expect((await upload(visitor, form)).text).toContain('this field is required');
  const today = new Date().toISOString().slice(0, 10);
  const tooEarly = await upload(visitor, { ...form, day: today }, file);
  expect(tooEarly.text).toContain('the day (UTC) is not over');

  // The error is not in the file, so the file is retained.
  const more = `${file}\r\nother,in,o1,1.00,RUB,2026-01-31T11:00:00Z`;
  const balance = await upload(visitor, { ...form, closing_balance: 'x9,8' }, more);
  expect(balance.status).toBe(400);
  const held = hidden(balance.text, 'held');
  expect(held).toMatch(/.{30}/);
  const preview = await upload(visitor, { ...form, held });
  expect(preview).toMatchObject(pageWith(200, '3 (transfers: 1, fees: 1, other: 1)'));
  const request = 'import?opening_balance=0.00&amp;closing_balance=98.00';
  for (const part of ['match the lines', request]) expect(preview.text).toContain(part);
  expect(await instance.store.read('statement-bank.default.RUB.2026-01-31')).toHaveLength(2 + 2);

  const once = hidden(preview.text, 'once');
  const done = await visitor.post('/statements/import', { ...form, held, once, confirmed: 'yes' });
  expect([done.status, done.location]).toEqual([303, `${page}?import=2`]);
  const day = (await visitor.get(done.location)).text;
  expect(day).toContain('The statement is imported; lines: 3.');
  expect(day.match(/StatementImported/g)).toHaveLength(1);
  expect(day).not.toContain('StatementLinesRead');
  // The import has removed the file.
  const again = await upload(visitor, { ...form, held });
  expect(again).toMatchObject(pageWith(400, 'this field is required'));
});

test('previews how a bank’s statement was read before it is imported (R22.19)', async () => {
  const visitor = await operator();
  const form = { ...filled, day: '2026-01-31', form_token: await visitor.formToken() };
  const preview = await upload(visitor, form, new Uint8Array(inWindows1251(oneCFile)));
  expect(preview).toMatchObject(pageWith(200, '1C’s client-bank exchange, Windows-1251'));
  for (const part of ['3 (transfers: 2, fees: 1)', '2026-01-30/15/40817810400000005678'])
    expect(preview.text).toContain(part);
  expect(preview.text).toMatch(/Dates of movements<.*?2026-01-31/);
  expect(preview.text).toMatch(/Opening balance<.*?1,000\.00.*?match the lines/);
  const wrong = await upload(visitor, { ...form, format: 'mt940' }, oneCFile);
  expect(wrong.text).toContain('Read as: MT940, UTF-8.');
  expect(wrong.text).toContain('value="mt940" selected');
});

test('previews the account, the sum of the balances, and what is left out and why (R22.19)', async () => {
  const visitor = await operator();
  const form = { ...filled, day: '2026-01-31', form_token: await visitor.formToken() };
  const other = (number: string, currency: string) =>
    camt053File
      .slice(camt053File.indexOf('<Stmt>'), camt053File.indexOf('</BkToCstmrStmt>'))
      .replace('40702810900000001234', number)
      .replaceAll('RUB', currency);
  const statement = camt053File.replace(
    '</BkToCstmrStmt>',
    `${other('8', 'RUB')}${other('9', 'USD')}</BkToCstmrStmt>`,
  );
  const number = { account_number: '40702810900000001234' };
  const { text } = await upload(visitor, { ...form, ...number }, statement);
  for (const part of [
    /Account in the file<.*?40702810900000001234, RUB</,
    /Balances<.*?match the lines.*?1,000\.00 \+ ₽1,140\.50 − ₽103\.00 = ₽2,037\.50/,
    /Left out<.*?8, RUB: another number, lines: 6<.*?9, USD: another currency, lines: 6<.*?Not booked by the bank yet, lines: 1</,
  ])
    expect(text).toMatch(part);
  const wrong = await upload(
    visitor,
    { ...form, ...number },
    statement.replace('>2037.5<', '>2037<'),
  );
  expect(wrong.text).toMatch(/closing balance is not.*?Difference: -0\.50/);
});

test('holds a file of limited size for one session, with a form token', async () => {
  const [one, other] = [await operator(), await operator(tokens.admin)];
  const tokenOf = async (visitor: Visitor) => {
    return { ...filled, form_token: await visitor.formToken() };
  };
  expect((await upload(one, filled, file)).status).toBe(403);
  const preview = await upload(one, await tokenOf(one), file.replace('3.00', '4.00'));
  const held = hidden(preview.text, 'held');
  expect(preview.text).toContain('Nothing has changed yet');
  const ofOther = await upload(other, { ...(await tokenOf(other)), held });
  expect(ofOther.text).toContain('this field is required');
  // A link can't confirm a command.
  const link = `/statements/ask?account=sandbox%2Fdefault&currency=RUB&day=2026-01-30&confirmed=yes`;
  expect((await one.get(link)).text).toContain('Nothing has changed yet');
  expect(await instance.store.read('statement-sandbox.default.RUB.2026-01-30')).toEqual([]);
  const large = await upload(one, await tokenOf(one), new Uint8Array(16 * 1024 * 1024 + 1));
  expect(large).toMatchObject(pageWith(400, 'the file may have 16777216 bytes'));
  const auditor = await operator(tokens.auditor);
  expect((await auditor.get('/statements/import')).status).toBe(403);
  expect((await auditor.get('/statements')).text).not.toContain('/statements/import');
});

test('deletes an unconfirmed file when it expires, without another upload', async () => {
  const held = (session: string, ageMs: number) => ({
    session_hash: session,
    id: session,
    bytes: Buffer.from('names and amounts'),
    held_at: new Date(Date.now() - ageMs),
  });
  const files = [held('old', heldMs), held('new', 0)];
  await console.db.insertInto('console.held_file').values(files).execute();
  const stop = new AbortController();
  const ends: (() => unknown)[] = [];
  sweepHeldFiles(
    { logger, signal: stop.signal, onStop: (end) => void ends.push(end) },
    { db: console.db, prepared: Promise.resolve(true), everyMs: 10 },
  );
  const remaining = async () => {
    const rows = await console.db.selectFrom('console.held_file').select('id').execute();
    return rows.map(({ id }) => id).filter((id) => id === 'old' || id === 'new');
  };
  await expect.poll(remaining).toEqual(['new']);
  stop.abort();
  await Promise.all(ends.map((end) => end()));
});

test('fetches a missing statement from the provider, and shows it at once (R22.17)', async () => {
  const visitor = await operator();
  const ofAccount = { account: 'sandbox/default', currency: 'RUB' };
  const dayBefore = (days: number) => dayAfter(newestDay(Date.now()), -days);
  const [first, day] = [dayBefore(12), dayBefore(10)];
  for (const missingDay of [first, day]) {
    const of = `/statements/sandbox/default/RUB/${missingDay}`;
    const emptyPage = await visitor.get(of);
    expect(emptyPage).toMatchObject(pageWith(200, 'No statement'));
    const to = `/statements/ask?account=sandbox%2Fdefault&amp;currency=RUB&amp;day=${missingDay}`;
    expect(emptyPage.text).toContain(`href="${to}"`);
    const done = await visitor.act(to.replaceAll('&amp;', '&'), { ...ofAccount, day: missingDay });
    expect(done.text).toContain('The provider’s statement is imported; lines: 0.');
    expect(done.text).toContain('Everything matches');
  }
  const list = (await visitor.get('/statements')).text;
  expect(list).toContain('Days without a statement');
  // The days that are no longer fetched automatically are listed as well.
  const [row = ''] = /sandbox \/ default, RUB<.*?<\/li>/.exec(list) ?? [];
  for (const part of ['days: 11', 'no longer requested automatically: 4'])
    expect(row).toContain(part);
  const isMissing = [9, 10, 11, 12].map((days) => row.includes(dayBefore(days)));
  expect(isMissing).toEqual([true, false, true, false]);
  const ask = `/statements/ask?account=sandbox%2Fdefault&currency=RUB&day=${day}`;
  const again = await visitor.act(ask, { ...ofAccount, day });
  expect(again.text).toContain('This statement was already imported');
  const form_token = await visitor.formToken();
  const fee = file.split('\r\n').filter((line) => !line.startsWith('transfer'));
  const bytes = fee.join('\n').replace('2026-01-31', day);
  const form = { ...filled, ...ofAccount, day, form_token };
  const replacing = await upload(visitor, form, bytes);
  expect(replacing.text).toContain('The file replaces the provider’s own statement');
  const [held = '', once = ''] = ['held', 'once'].map((name) => hidden(replacing.text, name));
  const confirmed = { ...form, held, once, confirmed: 'yes' };
  expect((await visitor.post('/statements/import', confirmed)).status).toBe(303);
  await console.waitForReadModels();
  expect((await visitor.get(ask)).text).toContain('it will replace the file');
});

test('suggests a file for an account that the environment no longer has', async () => {
  const { BANK_KEY: _key, ...config } = sandbox.config;
  const without = await startWith(config);
  onTestFinished(without.stop);
  const visitor = await operator(tokens.operator, without);
  const query = 'account=bank%2Fdefault&currency=RUB&day=2026-01-29';
  const answer = await visitor.get(`/statements/ask?${query}`);
  expect(answer).toMatchObject(pageWith(400, 'bank/default: not set up now'));
  const advice = 'the environment has no account with the provider now: import a file';
  expect(answer.text).toContain(advice);
});

test('shows an unknown outcome, with a button to try again (R22.17)', async () => {
  const disconnected = await startWith({ ...sandbox.config, SANDBOX_URL: 'http://127.0.0.1:9' });
  onTestFinished(disconnected.stop);
  const visitor = await operator(tokens.operator, disconnected);
  const values = { account: 'sandbox/default', currency: 'RUB', day: '2026-01-29' };
  const done = await visitor.act(`/statements/ask?${String(new URLSearchParams(values))}`, values);
  const unknown = 'It is unknown whether there is a statement';
  for (const part of [unknown, 'notice warning', 'Request now']) expect(done.text).toContain(part);
});

test('fetches all missing days of an account with one button (R22.17)', async () => {
  const visitor = await operator();
  const fetchPath = '/statements/missing/sandbox/default/RUB/ask';
  const newest = newestDay(Date.now());
  expect((await visitor.get('/statements')).text).toContain(`href="${fetchPath}"`);
  const { text } = await visitor.get(fetchPath);
  expect(text).toContain(`${dayAfter(newest, -11)} – ${newest}: 11<`);
  const done = await visitor.act(fetchPath, {});
  expect(done.text).toContain('The statements are imported; days: 11.');
  await console.waitForReadModels();
  expect((await visitor.get('/statements')).text).not.toContain(fetchPath);
  expect((await visitor.get(fetchPath)).status).toBe(404);
  const auditor = await operator(tokens.auditor);
  expect((await auditor.get(fetchPath)).status).toBe(403);
});
