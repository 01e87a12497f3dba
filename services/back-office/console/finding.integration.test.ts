import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import {
  acceptance,
  append,
  cancelled,
  givenPayment,
} from '#services/processor/testing/operations.ts';
import { mostCompared, findMatches } from '#projections/operations/finding/compare.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { newId } from '#shared/platform/ids.ts';
import { createAdminAccessLog } from '../api/access-log.ts';
import { tokens } from '../testing/admin.ts';
import { useConsole } from './testing/console.ts';
import { visitorAt, type Visitor } from './testing/visitor.ts';

const console = useConsole();
let auditor: Visitor;
let operator: Visitor;
let shopId: string;
let id: string;
const lines: string[] = [];
let stopAnother: () => Promise<void>;

beforeAll(async () => {
  const accessLog = createAdminAccessLog({ write: (text) => void lines.push(text) });
  const another = await console.startInstance({ accessLog, logger });
  stopAnother = another.stop;
  auditor = visitorAt(another.port);
  await auditor.signIn(tokens.auditor);
  operator = await console.visitor(tokens.operator);
  shopId = await console.newShop('Harbour Tea');
  id = await givenPayment(console.store, { shopId, answers: [acceptance()] });
  const toPhone = { ...acceptance(), requisites: { number: '+79450001817' } };
  await givenPayment(console.store, { answers: [toPhone] });
  await console.waitForReadModels();
});
afterAll(async () => {
  await stopAnother();
});

const find = async (line: string, more = '') => {
  const page = await auditor.get(`/operations?q=${encodeURIComponent(line)}${more}`);
  expect([line, page.status === 200 || page.status === 303]).toEqual([line, true]);
  return page;
};
const idsIn = ({ text }: { text: string }) =>
  [...text.matchAll(/data-row="([^"]+)"/g)].map(([, row]) => row);

describe('the search (R16.19)', () => {
  test.each(['Harbour 100', 'harbour 100,00 ₽ *0004'])(
    'finds an operation by “%s”',
    async (line) => {
      expect(idsIn(await find(line))).toEqual([id]);
    },
  );

  test('finds an operation by the beginning of its ID, and by a day', async () => {
    expect((await find(id.slice(0, 13))).location).toBe(`/operations/${id}`);
    const [day = ''] = new Date().toISOString().split('T');
    expect(idsIn(await find(day))).toHaveLength(2);
    expect(idsIn(await find(`100 ${day}`, `&shop=${shopId}`))).toEqual([id]);
    expect(idsIn(await find('100 1999-01-01'))).toEqual([]);
  });

  test('compares last digits without showing the number, and logs who found it', async () => {
    lines.length = 0;
    expect(idsIn(await find('*0004'))).toEqual([id]);
    const phone = await find('100 *1817');
    expect(idsIn(phone)).toHaveLength(1);
    expect(phone.text).not.toContain('79450001817');
    for (const line of ['*9999', '9999']) expect(idsIn(await find(line))).toEqual([]);
    expect(idsIn(await find('today 0004'))).toEqual([id]);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { log: 'access', operator: 'anna', operation_id: id, shown: 'operation' },
      { log: 'access', operator: 'anna', shown: 'operation' },
      { log: 'access', operator: 'anna', operation_id: id, shown: 'operation' },
    ]);
  });

  test('leads to a file of what it found (R16.19)', async () => {
    const [href = ''] = /\/operations\.csv\?[^"]+/.exec((await find('Harbour 100')).text) ?? [];
    const { text } = await auditor.get(href);
    expect([...text.matchAll(/(\S{36}),payment,/g)].map(([, row]) => row)).toEqual([id]);
  });

  test('lists matching shops, and reports when nothing is found', async () => {
    expect((await find('harb')).text).toContain(`href="/operations?shop=${shopId}">Harbour Tea<`);
    expect((await find('no such words')).text).toContain('Nothing found');
    for (const odd of ["'; drop table x", '%', '\u{FFFF}', '*12', '99.99.9999', '1'.repeat(190)])
      expect(idsIn(await find(odd))).toEqual([]);
  });
});

describe('a list that is polled', () => {
  const poll = (path: string, tag: string) => operator.get(path, { 'x-live': tag });
  const tagIn = (text: string) => /data-live="([^"]+)"/.exec(text)?.[1] ?? '';

  test.each(['/operations', '/operations?status=pending', '/activity', '/review'])(
    'returns 204 without a change: %s',
    async (path) => {
      const { text } = await operator.get(path);
      expect(tagIn(text)).not.toBe('');
      expect(await poll(path, tagIn(text))).toMatchObject({ status: 204, text: '' });
      const other = await poll(path, 'another');
      expect([other.status, other.headers.get('x-live')]).toEqual([200, tagIn(text)]);
      expect(other.text).not.toContain('<html');
    },
  );

  test('returns 204 for webhook deliveries, and is not polled beyond the first page', async () => {
    const path = `/shops/${shopId}/messages`;
    const tag = tagIn((await operator.get(path)).text);
    expect((await poll(path, tag)).status).toBe(204);
    expect((await poll(path, 'another')).text).toContain('There are no deliveries yet');
    const cursor = Buffer.from('o1').toString('base64url');
    expect(tagIn((await operator.get(`${path}?cursor=${cursor}`)).text)).toBe('');
  });

  test('returns new rows that match the filter of the page', async () => {
    const path = `/operations?shop=${shopId}&status=cancelled`;
    const before = tagIn((await operator.get(path)).text);
    const operationId = await givenPayment(console.store, { shopId, answers: [acceptance()] });
    await console.waitForReadModels();
    expect((await poll(path, before)).status).toBe(204);
    await append(console.store, operationId, { events: [cancelled], expectedRevision: 2 });
    await console.waitForReadModels();
    expect(idsIn(await poll(path, before))).toEqual([operationId]);
  });

  test('does not extend the session, and ends with it', async () => {
    const seen = async () => {
      const rows = await console.db
        .selectFrom('console.session')
        .select(['session_hash', 'seen_at'])
        .execute();
      return rows.map((row) => row.seen_at.getTime()).toSorted((left, right) => left - right);
    };
    await console.db
      .updateTable('console.session')
      .set({ seen_at: new Date(Date.now() - 20 * 60_000) })
      .execute();
    const before = await seen();
    expect((await poll('/operations', 'x')).status).toBe(200);
    expect(await seen()).toEqual(before);
    expect((await operator.get('/operations')).status).toBe(200);
    expect(await seen()).not.toEqual(before);
    const other = await console.visitor(tokens.operator);
    const cookie = other.cookie();
    await other.post('/sign-out', { form_token: await other.formToken() });
    expect((await other.get('/operations', { cookie, 'x-live': 'x' })).status).toBe(303);
  });
});

describe('the reader’s time zone', () => {
  const get = async (path: string, zone: string) => {
    const headers = { cookie: `${operator.cookie()}; zone=${zone}`, 'accept-language': 'en' };
    const answer = await fetch(`http://127.0.0.1:${console.port}${path}`, { headers });
    return { text: await answer.text() };
  };

  test('applies to times, days and exports, and is shown', async () => {
    const { text } = await get('/operations', 'Asia/Kolkata');
    expect(text).toContain('Times are in Asia/Kolkata');
    const [, utc = '', shown = ''] = /<time datetime="([^"]+)"[^>]*>([^<]+)</.exec(text) ?? [];
    const localTime = new Date(Date.parse(utc) + 19_800_000).toISOString().slice(11, 19);
    expect(shown).toContain(localTime);
    const overview = (await get('/', 'Asia/Kolkata')).text;
    expect(overview).toContain('Times are in Asia/Kolkata');
    const busy = overview.matchAll(/(\d\d):00<\/th>\s*<td[^>]*>[1-9]/g);
    expect([...busy].map(([, hour]) => hour)).toContain(localTime.slice(0, 2));
    const inUtc = await get('/operations?zone=UTC', 'Asia/Kolkata');
    const unknown = await get('/operations', 'Mars%2FOlympus');
    for (const page of [inUtc, unknown]) expect(page.text).toContain('All times are UTC.');
    expect((await get('/operations.csv', 'Asia/Kolkata')).text).toContain('+05:30');
    // The day of the operation in Kiritimati, UTC+14.
    const day = new Date(Date.parse(utc) + 14 * 3_600_000).toISOString().slice(0, 10);
    const ofDay = await get(`/operations?from=${day}&to=${day}`, 'Pacific/Kiritimati');
    expect(idsIn(ofDay).length).toBeGreaterThan(0);
  });
});

describe('a saved filter', () => {
  test('is visible to its operator only, and can be deleted', async () => {
    const form_token = await operator.formToken();
    const query = `status=pending&shop=${shopId}&cursor=x&lang=ru&type=`;
    const form = { form_token, page: '/operations', name: 'mine <b>' };
    const saved = await operator.post('/saved-filters', { ...form, query });
    expect(saved.status).toBe(303);
    expect(saved.location).toBe(`/operations?status=pending&shop=${shopId}`);
    const listed = (await operator.get(saved.location)).text;
    expect(listed).toContain('aria-current="page">mine &lt;b&gt;<');
    expect((await auditor.get('/operations')).text).not.toContain('mine');
    await operator.post('/saved-filters', { ...form, forget: '1' });
    expect((await operator.get('/operations')).text).not.toContain('mine');
  });

  test('belongs to one of the tokens with the same name, and to the next when that is revoked', async () => {
    const issue = () => console.issueToken('twin', 'operator');
    const [first, second] = [await issue(), await issue()];
    await sql`
      insert into console.saved_filter (operator, page, name, query, saved_at)
      values ('name:twin', '/operations', 'from before', 'status=pending', now())`.execute(
      console.db,
    );
    const shows = async (token: string) =>
      (await (await console.visitor(token)).get('/operations')).text.includes('from before');
    expect([await shows(first.token), await shows(second.token)]).toEqual([true, false]);
    await console.call(`DELETE /admin/v1/tokens/${first.token_id}`);
    expect(await shows(second.token)).toBe(true);
  });

  test('requires a name and a known page, and is limited to 20 per page', async () => {
    const form_token = await operator.formToken();
    const form = { form_token, page: '/activity', query: 'kind=ReviewDecided' };
    const save = async (name: string, more: Record<string, string> = {}) =>
      (await operator.post('/saved-filters', { ...form, name, ...more })).status;
    expect(await save(' ')).toBe(400);
    expect(await save('x', { page: '//evil.example' })).toBe(400);
    expect(await save('x'.repeat(41))).toBe(400);
    expect(await save('x', { form_token: newId() })).toBe(403);
    // The limit applies to the query of a URL, where a Cyrillic letter takes six characters.
    expect(await save('x', { query: `client=${'ж'.repeat(300)}` })).toBe(400);
    // Concurrently: the database enforces the limit.
    const many = Array.from({ length: 30 }, (_, count) => save(`filter ${count}`));
    const statuses = await Promise.all(many);
    expect(statuses.filter((status) => status === 303)).toHaveLength(20);
    const savedIndex = statuses.indexOf(303);
    expect(await save('one more')).toBe(400);
    expect(await save(`filter ${savedIndex}`)).toBe(303);
  });
});

describe('a search over many shops', () => {
  test('limits how many numbers it compares in all shops together', async () => {
    for (let shop = 0; shop < 2; shop += 1) {
      const payment = { shopId: await console.newShop(`Quay ${shop}`), answers: [acceptance()] };
      for (let count = 0; count < mostCompared / 2 + 5; count += 1)
        await givenPayment(console.store, payment);
    }
    await console.waitForReadModels();
    let opened = 0;
    const read: typeof console.store.read = (stream, ...rest) => {
      if (stream.startsWith('operation-')) opened += 1;
      return console.store.read(stream, ...rest);
    };
    const counting = await console.startInstance({ store: { ...console.store, read } });
    try {
      const visitor = visitorAt(counting.port);
      await visitor.signIn(tokens.auditor);
      const page = await visitor.get('/operations?q=Quay+*9999');
      expect([page.status, opened]).toEqual([200, mostCompared]);
      expect(page.text).toContain(`only for the newest ${mostCompared} operations`);
    } finally {
      await counting.stop();
    }
  });

  test('leads from each page to the next and back (R16.20)', async () => {
    const follow = async ({ text }: { text: string }, rel: 'next' | 'prev') => {
      const [, href = ''] = new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text) ?? [];
      return auditor.get(href.replaceAll('&amp;', '&'));
    };
    const first = await auditor.get('/operations?status=pending');
    expect(first.text).not.toMatch(/rel="(prev|first)"/);
    const second = await follow(first, 'next');
    const third = await follow(second, 'next');
    expect(idsIn(await follow(third, 'prev'))).toEqual(idsIn(second));
    expect(idsIn(await follow(await follow(third, 'prev'), 'prev'))).toEqual(idsIn(first));
    expect(idsIn(second)).toHaveLength(50);
    expect(second.text).toContain('Previous page');
  });

  test('stops at its deadline before it decrypts another number', async () => {
    const options = { needle: { lastFour: '9999' }, saw: () => {} };
    const rows = [{ operation_id: id }] as OperationRow[];
    const noStore = {} as Parameters<typeof findMatches>[0];
    const signal = AbortSignal.abort();
    expect(await findMatches(noStore, { ...options, rows, signal })).toBe('too_long');
  });
});
