import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilDayHasRoom } from '#infra/verify/harness/day.ts';
import { startTestSandbox, type TestSandbox } from '#services/sandbox-provider/testing/start.ts';
import { createProviders } from '#shared/application/providers/index.ts';
import { inWindows1251, oneCFile } from '#shared/application/statements/testing/bank-files.ts';
import { dayAfter, newestDay } from '#shared/application/statements/days.ts';
import { tokens, type TestAdmin } from '../../testing/admin.ts';
import { heldMs } from '../actions/uploaded-files.ts';
import { sweepHeldFiles } from '../actions/sweep-held-files.ts';
import { startConsole, type TestConsole } from '../testing/console.ts';
import { hidden, visit, type Page, type Visitor } from '../testing/visitor.ts';

// What is asked for is of today.
await untilDayHasRoom();

let console: TestConsole;
let sandbox: TestSandbox;
let providers: ReturnType<typeof createProviders>;
let asking: TestAdmin;
beforeAll(async () => {
  console = await startConsole();
  sandbox = await startTestSandbox();
  providers = createProviders(sandbox.config, pino({ level: 'silent' }));
  asking = await console.another({
    providers: ['sandbox', 'bank'],
    connectors: providers.providers,
    accounts: providers.accounts,
  });
});
afterAll(async () => {
  await asking.stop();
  await providers.close();
  await sandbox.stop();
  await console.stop();
});

const path = '/admin/v1/statements/bank/default/RUB/2026-01-31';
const page = '/statements/bank/default/RUB/2026-01-31';
const file = [
  'kind,direction,leg_id,amount,currency,completed_at',
  'transfer,in,=t1,100.00,RUB,2026-01-31T10:00:00.000Z',
  'fee,out,f1,3.00,RUB,2026-01-31T11:00:00.000Z',
].join('\r\n');

/** One who is signed in where the providers can be asked. */
async function operator(token: string = tokens.operator): Promise<Visitor> {
  const visitor = visit((to, init) => fetch(`http://127.0.0.1:${asking.port}${to}`, init));
  expect((await visitor.signIn(token)).status).toBe(303);
  await visitor.get('/?lang=en');
  return visitor;
}

/** Sends the form with a file, as a browser does. */
async function upload(
  visitor: Visitor,
  values: Record<string, string>,
  bytes?: string | Uint8Array<ArrayBuffer>,
): Promise<Page> {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  if (bytes !== undefined) form.set('file', new Blob([bytes], { type: 'text/csv' }), 'day.csv');
  const response = await fetch(`http://127.0.0.1:${asking.port}/statements/import`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: visitor.cookie(), 'sec-fetch-site': 'same-origin' },
    body: form,
  });
  const text = (await response.text()).replaceAll(/\s+/g, ' ');
  return { status: response.status, text, headers: response.headers, location: '' };
}

const filled = {
  account: 'bank/default',
  currency: 'RUB',
  day: '2026-01-31',
  opening_balance: '',
  closing_balance: '',
};

test('the pages show each day, what to do about what does not match, and close it', async () => {
  const send = { body: file, token: tokens.operator, headers: { 'content-type': 'text/csv' } };
  const balances = '?opening_balance=0.00&closing_balance=98.00';
  expect((await console.ask(`POST ${path}/import${balances}`, send)).status).toBe(200);
  await console.caughtUp();
  const note = { finding_id: 'fee:f1', decision: 'explained', note: 'as agreed' };
  expect(
    (await console.ask(`POST ${path}/close-finding`, { body: note, token: tokens.operator }))
      .status,
  ).toBe(200);
  await console.caughtUp();
  const visitor = await console.visitor(tokens.operator);
  const list = (await visitor.get('/statements?lang=en')).text;
  expect(list).toContain('Findings: 2');
  expect(list).toContain(`href="${page}"`);
  const day = (await visitor.get(`${page}?lang=en`)).text;
  expect(day).toContain('Ask the provider what this transfer was for.');
  expect(day).toContain('Explained: as agreed');
  expect(day).toMatch(
    /Movement by the statement<.*?97\.00.*Unexplained<.*?ledger and operations agree/,
  );
  expect(day).toMatch(/Closing balance minus what the provider owes<.*?98\.00/);
  expect((await visitor.get(`${page}?lang=ru`)).text).toContain('Остаток не сходится');
  const pending = async () =>
    (await visitor.get(`${page}?import=1&lang=en`)).text.includes('data-pending');
  expect(await pending()).toBe(false);
  // As if the tables did not have the import yet: the page says so, and is read again.
  await sql`update gateway.statements set import = import - 1`.execute(console.db);
  expect(await pending()).toBe(true);
  await sql`update gateway.statements set import = import + 1`.execute(console.db);
  expect(await pending()).toBe(false);
  await visitor.get('/?lang=en');
  expect((await visitor.get(`${page}/close-finding/%00`)).status).toBe(404);
  const done = await visitor.act(
    `${page}/close-finding/${encodeURIComponent('unknown_line:=t1')}`,
    {
      finding_id: 'unknown_line:=t1',
      decision: 'provider_error',
      note: '<b>asked</b>',
    },
  );
  expect(done.text).toContain('The finding is closed.');
  await console.caughtUp();
  expect((await visitor.get(page)).text).toContain('&lt;b&gt;asked&lt;/b&gt;');
  const activity = (await visitor.get('/activity?lang=en')).text;
  expect(activity).toContain('Difference from a statement closed');
  expect(activity).toContain(`href="${page}">bank/default/RUB/2026-01-31</a>`);
  expect((await visitor.get('/activity?lang=ru&kind=StatementImported')).text).toContain('>oleg<');
  const auditor = await console.visitor(tokens.auditor);
  expect((await auditor.get(page)).text).not.toContain('close-finding');
  // A day without a statement has a page where it is asked for; what can be none has not.
  expect((await visitor.get('/statements/bank/default/RUB/2026-01-30')).text).toContain(
    'No statement',
  );
  for (const nothing of [
    'other/default/RUB/2026-01-30',
    'bank/unknown/RUB/2026-01-30',
    'bank/default/RUB/2099-01-01',
  ])
    expect((await visitor.get(`/statements/${nothing}`)).status).toBe(404);
});

test('what was closed and is open again shows the note from before (R22.8)', async () => {
  const [at, on] = ['/admin/v1/statements/bank/default/RUB/2026-01-15', '2026-01-15'];
  const headers = { 'content-type': 'text/csv' };
  const send = async (fee: string) => {
    const body = file.replaceAll('2026-01-31', on).replace('3.00', fee);
    await console.ask(`POST ${at}/import`, { body, token: tokens.operator, headers });
    await console.caughtUp();
  };
  await send('3.00');
  const body = {
    finding_id: 'fee:f1',
    decision: 'explained',
    note: 'the tariff of 3.00',
    amount: '3.00',
  };
  expect(
    (await console.ask(`POST ${at}/close-finding`, { body, token: tokens.operator })).status,
  ).toBe(200);
  const find = async () => {
    await console.caughtUp();
    const answer = await console.ask<{ findings: object[] }>(`GET ${at}?finding=fee`);
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

test('a file is chosen, mended, looked at and confirmed, as the API would take it (R22.17)', async () => {
  const visitor = await operator();
  const opened = (
    await visitor.get('/statements/import?account=bank%2Fdefault&currency=RUB&day=2026-01-31')
  ).text;
  expect(opened).toContain('value="bank/default" selected');
  expect(opened).toContain('value="2026-01-31"');
  const form_token = hidden(opened, 'form_token');
  const form = { ...filled, form_token, closing_balance: '98.00', opening_balance: '0.00' };

  const wrong = await upload(visitor, form, file.replace('100.00', '1e2').replace('f1', ''));
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('Lines with errors: 2');
  expect(wrong.text).toContain('give the amount without sign');
  expect(wrong.text).toContain('value="98.00"');
  expect(hidden(wrong.text, 'held')).toBe('');
  expect((await upload(visitor, form)).text).toContain('this field is required');
  const today = new Date().toISOString().slice(0, 10);
  expect((await upload(visitor, { ...form, day: today }, file)).text).toContain(
    'the day (UTC) is not over',
  );

  // A fault that is not the file's: that is kept.
  const balance = await upload(
    visitor,
    { ...form, closing_balance: 'x9,8' },
    `${file}\r\nother,in,o1,1.00,RUB,2026-01-31T11:00:00Z`,
  );
  expect([balance.status, hidden(balance.text, 'held')]).toEqual([
    400,
    expect.stringMatching(/.{30}/),
  ]);
  const held = hidden(balance.text, 'held');
  const looked = await upload(visitor, { ...form, held });
  expect(looked.status).toBe(200);
  expect(looked.text).toContain('3 (transfers: 1, fees: 1, other: 1)');
  expect(looked.text).toContain('match the lines');
  expect(looked.text).toContain('import?opening_balance=0.00&amp;closing_balance=98.00');
  expect(await asking.store.read('statement-bank.default.RUB.2026-01-31')).toHaveLength(2 + 2);

  const once = hidden(looked.text, 'once');
  const done = await visitor.post('/statements/import', { ...form, held, once, confirmed: 'yes' });
  expect([done.status, done.location]).toEqual([303, `${page}?import=2`]);
  const day = (await visitor.get(done.location)).text;
  expect(day).toContain('The statement is imported; lines: 3.');
  expect(day.match(/StatementImported/g)).toHaveLength(1);
  expect(day).not.toContain('StatementLinesRead');
  // It was done, and the file is gone.
  const again = await upload(visitor, { ...form, held });
  expect([again.status, again.text.includes('this field is required')]).toEqual([400, true]);
});

test('a bank’s statement is shown as it was read, before it is imported (R22.19)', async () => {
  const visitor = await operator();
  const form = { ...filled, day: '2026-01-31', form_token: await visitor.formToken() };
  const looked = await upload(visitor, form, new Uint8Array(inWindows1251(oneCFile)));
  expect(looked.status).toBe(200);
  expect(looked.text).toContain('1C’s client-bank exchange, Windows-1251');
  expect(looked.text).toContain('3 (transfers: 2, fees: 1)');
  expect(looked.text).toMatch(/Dates of movements<.*?2026-01-31/);
  expect(looked.text).toContain('2026-01-30/15/40817810400000005678');
  expect(looked.text).toMatch(/Opening balance<.*?1,000\.00.*?match the lines/);
  const wrong = await upload(visitor, { ...form, format: 'mt940' }, oneCFile);
  expect(wrong.text).toContain('Read as: MT940, UTF-8.');
  expect(wrong.text).toContain('value="mt940" selected');
});

test('a file is one session’s, with a token of its forms, and of a bounded size', async () => {
  const [one, other] = [await operator(), await operator(tokens.admin)];
  const tokenOf = async (visitor: Visitor) => ({
    ...filled,
    form_token: await visitor.formToken(),
  });
  expect((await upload(one, filled, file)).status).toBe(403);
  const looked = await upload(one, await tokenOf(one), file.replace('3.00', '4.00'));
  const held = hidden(looked.text, 'held');
  expect(looked.text).toContain('Nothing has changed yet');
  expect((await upload(other, { ...(await tokenOf(other)), held })).text).toContain(
    'this field is required',
  );
  // No link confirms anything.
  const link = `/statements/ask?account=sandbox%2Fdefault&currency=RUB&day=2026-01-30&confirmed=yes`;
  expect((await one.get(link)).text).toContain('Nothing has changed yet');
  expect(await asking.store.read('statement-sandbox.default.RUB.2026-01-30')).toEqual([]);
  const large = await upload(one, await tokenOf(one), new Uint8Array(16 * 1024 * 1024 + 1));
  expect([large.status, large.text.includes('the file may have 16777216 bytes')]).toEqual([
    400,
    true,
  ]);
  const auditor = await operator(tokens.auditor);
  expect((await auditor.get('/statements/import')).status).toBe(403);
  expect((await auditor.get('/statements')).text).not.toContain('/statements/import');
});

test('a file that nobody confirmed is deleted when its time is over, without another upload', async () => {
  const held = (session: string, ageMs: number) => ({
    session_hash: session,
    id: session,
    bytes: Buffer.from('names and amounts'),
    held_at: new Date(Date.now() - ageMs),
  });
  await console.db
    .insertInto('console.held_file')
    .values([held('old', heldMs), held('new', 0)])
    .execute();
  const stop = new AbortController();
  const ends: (() => unknown)[] = [];
  const logger = pino({ level: 'silent' });
  sweepHeldFiles(
    { logger, signal: stop.signal, onStop: (end) => void ends.push(end) },
    { db: console.db, prepared: Promise.resolve(true), everyMs: 10 },
  );
  const left = async () => {
    const rows = await console.db.selectFrom('console.held_file').select('id').execute();
    return rows.map(({ id }) => id).filter((id) => id === 'old' || id === 'new');
  };
  await expect.poll(left).toEqual(['new']);
  stop.abort();
  await Promise.all(ends.map((end) => end()));
});

test('a provider is asked for a day without a statement, and what comes is shown at once (R22.17)', async () => {
  const visitor = await operator();
  const [first, day] = [dayAfter(newestDay(Date.now()), -12), dayAfter(newestDay(Date.now()), -10)];
  for (const wanted of [first, day]) {
    const of = `/statements/sandbox/default/RUB/${wanted}`;
    const none = await visitor.get(of);
    expect([none.status, none.text.includes('No statement')]).toEqual([200, true]);
    const to = `/statements/ask?account=sandbox%2Fdefault&amp;currency=RUB&amp;day=${wanted}`;
    expect(none.text).toContain(`href="${to}"`);
    const done = await visitor.act(to.replaceAll('&amp;', '&'), {
      account: 'sandbox/default',
      currency: 'RUB',
      day: wanted,
    });
    expect(done.text).toContain('The provider’s statement is imported; lines: 0.');
    expect(done.text).toContain('Everything matches');
  }
  const list = (await visitor.get('/statements')).text;
  expect(list).toContain('Days without a statement');
  // Those that nobody asks for by itself any more are told as well.
  const row = /sandbox \/ default, RUB<.*?<\/li>/.exec(list);
  expect(row?.[0]).toContain('days: 11');
  expect(row?.[0]).toContain('no longer requested automatically: 4');
  const shown = [-9, -10, -11, -12].map((back) =>
    row?.[0].includes(dayAfter(newestDay(Date.now()), back)),
  );
  expect(shown).toEqual([true, false, true, false]);
  const again = await visitor.act(
    `/statements/ask?account=sandbox%2Fdefault&currency=RUB&day=${day}`,
    {
      account: 'sandbox/default',
      currency: 'RUB',
      day,
    },
  );
  expect(again.text).toContain('This statement was already imported');
});

test('an account that the environment has no more is not asked, and a file is asked for instead', async () => {
  const { BANK_KEY: _key, ...config } = sandbox.config;
  const lone = createProviders(config, pino({ level: 'silent' }));
  const without = await console.another({
    providers: ['sandbox', 'bank'],
    accounts: lone.accounts,
  });
  try {
    const visitor = visit((to, init) => fetch(`http://127.0.0.1:${without.port}${to}`, init));
    await visitor.signIn(tokens.operator);
    const asked = await visitor.get(
      '/statements/ask?lang=en&account=bank%2Fdefault&currency=RUB&day=2026-01-29',
    );
    expect(asked.status).toBe(400);
    expect(asked.text).toContain('bank/default: not set up now');
    expect(asked.text).toContain(
      'the environment has no account with the provider now: import a file',
    );
  } finally {
    await without.stop();
    await lone.close();
  }
});

test('no clear answer is told as what it is, with the button to ask again (R22.17)', async () => {
  const config = { ...sandbox.config, SANDBOX_URL: 'http://127.0.0.1:9' };
  const nowhere = createProviders(config, pino({ level: 'silent' }));
  const lost = await console.another({ connectors: nowhere.providers, accounts: nowhere.accounts });
  try {
    const visitor = visit((to, init) => fetch(`http://127.0.0.1:${lost.port}${to}`, init));
    await visitor.signIn(tokens.operator);
    await visitor.get('/?lang=en');
    const values = { account: 'sandbox/default', currency: 'RUB', day: '2026-01-29' };
    const done = await visitor.act(
      `/statements/ask?${String(new URLSearchParams(values))}`,
      values,
    );
    expect(done.text).toContain('It is unknown whether there is a statement');
    expect(done.text).toContain('notice warning');
    expect(done.text).toContain('Ask now');
  } finally {
    await lost.stop();
    await nowhere.close();
  }
});

test('all days that an account misses are asked for with one button (R22.17)', async () => {
  const visitor = await operator();
  const toAsk = '/statements/missing/sandbox/default/RUB/ask';
  const newest = newestDay(Date.now());
  expect((await visitor.get('/statements')).text).toContain(`href="${toAsk}"`);
  const { text } = await visitor.get(toAsk);
  expect(text).toContain(`${dayAfter(newest, -11)} – ${newest}: 11<`);
  const done = await visitor.act(toAsk, {});
  expect(done.text).toContain('The statements are imported; days: 11.');
  await console.caughtUp();
  expect((await visitor.get('/statements')).text).not.toContain(toAsk);
  expect((await visitor.get(toAsk)).status).toBe(404);
  const auditor = await operator(tokens.auditor);
  expect((await auditor.get(toAsk)).status).toBe(403);
});
