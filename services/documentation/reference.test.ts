import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  pathOfCode,
  Problem,
  problems,
  problemType,
  renderProblem,
} from '#shared/platform/http/problems.ts';
import { packageFile } from '#infra/verify/client-package/package.ts';
import { createApiWithoutStores } from '#services/merchant-api/testing/api-without-stores.ts';
import { endpoints } from '#shared/api/openapi/document.ts';
import { russianNames } from './endpoints/names.ts';
import { problemExplanations } from '#shared/api/openapi/explanations.ts';
import { documentText } from '#shared/api/openapi/file.ts';
import { defaultStackUrls } from './stack-urls.ts';
import { declineReasons } from '#shared/domain/operation/ends/decline-reason.ts';
import { pathOfReason } from './declines/pages.ts';
import { fieldCodes, problemCodes } from './errors/codes.ts';
import { createSearch, toSearchEntries } from './search/find.ts';
import { sectionNames } from './sections.ts';
import { createRendered } from './rendered.ts';
import { docsPage } from './shell.ts';
import { createDocsSite } from './site.ts';

const demoStackUrls = {
  ...defaultStackUrls,
  gateway: 'http://localhost:18080',
  admin: 'http://localhost:18081',
  sandbox: 'http://localhost:18090',
  canTry: true,
  demoKey: (host?: string) => (host === 'localhost:18080' ? 'key-of-the-demo' : undefined),
};
const demo = createApiWithoutStores({}, { stackUrls: demoStackUrls });
const { send } = createApiWithoutStores();
const get = (path: string, headers: Record<string, string> = {}) =>
  send(`GET ${path}`, { headers });
const responses = new Map<string, ReturnType<typeof get>>();
/** Pages link to each other: each is requested once. */
const getOnce = (path: string) => {
  const answer = responses.get(path) ?? get(path);
  responses.set(path, answer);
  return answer;
};

const pages = [
  ...sectionNames.map((name) => (name === '' ? '/docs' : `/docs/${name}`)),
  ...[...problemCodes, ...fieldCodes].map(pathOfCode),
  ...declineReasons.map(pathOfReason),
];
const everyPage = pages.flatMap((path) => ['ru', 'en'].map((language) => ({ path, language })));

const idsIn = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

describe('a path without a page', () => {
  const nowhere = ['/docs/nope', '/docs/errors/nope', '/docs/assets/nope.css', '/docs/a/b'];
  it.each(nowhere)(
    '%s returns a page with a search to a browser, in both languages (R2.6)',
    async (path) => {
      for (const [language, title] of [
        ['ru', 'Страница не найдена'],
        ['en', 'Page not found'],
      ]) {
        const { status, headers, text } = await get(`${path}?lang=${language}`, {
          accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        });
        expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
        expect(headers.get('content-security-policy')).toContain("default-src 'none'");
        expect(headers.get('vary')).toContain('Accept');
        expect(text).toContain(`<h1 class="">${title}</h1>`);
        expect(text).toContain('action="/docs/search"');
      }
    },
  );

  const more = ['/', '/constructor', '/%3Cb%3E', '/not_ready'].map((path) => `/docs/errors${path}`);
  more.push('/docs/guide/', '/docs/constructor', '/docs/assets/docs.css');
  it.each([...nowhere, ...more])('%s returns a problem to a program', async (path) => {
    for (const accept of ['*/*', 'application/json']) {
      const { status, problem } = await get(path, { accept });
      expect({ status, problem }).toMatchObject({
        status: 404,
        problem: { code: 'route_not_found' },
      });
    }
  });
});

describe('files for programs', () => {
  it('GET /openapi.json returns the document without a key', async () => {
    const { status, headers, text } = await get('/openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(text).toBe(documentText());
  });

  it.each(['/openapi.json', '/docs/client.tgz', '/docs/sample-receipt.pdf'])(
    '%s returns 304 for its ETag',
    async (path) => {
      const etag = (await get(path)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      for (const ifNoneMatch of [etag, `"x", W/${etag}`]) {
        const again = await get(path, { 'if-none-match': ifNoneMatch });
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      }
      expect((await get(path, { 'if-none-match': '"x"' })).status).toBe(200);
    },
  );

  it('GET /docs/sample-receipt.pdf returns a PDF with a valid cross-reference table', async () => {
    const { api } = createApiWithoutStores();
    const response = await api.request('/docs/sample-receipt.pdf');
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const file = Buffer.from(await response.arrayBuffer()).toString('latin1');
    const table = file.slice(Number(/startxref\n(\d+)/.exec(file)?.[1]));
    const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, at]) => Number(at));
    expect(offsets.map((at) => file.slice(at, at + 7))).toEqual(
      offsets.map((_, index) => `${index + 1} 0 obj`),
    );
    expect(offsets).toHaveLength(5);
  });

  it('GET /docs/client.tgz returns the package of the clients', async () => {
    const { api } = createApiWithoutStores();
    const response = await api.request('/docs/client.tgz');
    expect(response.headers.get('content-type')).toBe('application/gzip');
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(packageFile))).toBe(true);
  });
});

describe.each(everyPage)('$path in $language', ({ path, language }) => {
  const read = () => getOnce(`${path}?lang=${language}`);

  it('needs no key, has no inline code and loads only its own assets', async () => {
    const { status, headers, text } = await read();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).toContain(`<html lang="${language}"`);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle="|javascript:| on\w+="/);
    const loaded = [...text.matchAll(/<(?:link|script|img)[^>]*(?:href|src)="([^"]+)"/g)];
    expect(loaded.length).toBeGreaterThan(2);
    for (const [, url = ''] of loaded)
      expect(url).toMatch(/^\/docs\/assets\/\w+\.[0-9a-f]{12}\.\w+$/);
  });

  it('is well-formed, with one h1 and unique IDs', async () => {
    const { text } = await read();
    const open: string[] = [];
    for (const [, closing, name = '', selfClosed] of text.matchAll(
      /<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/g,
    )) {
      if (['meta', 'link', 'input', 'br', 'img'].includes(name) || selfClosed === '/') continue;
      if (closing === '') open.push(name);
      else if (open.at(-1) === name) open.pop();
      else open.push(`unexpected </${name}>`);
    }
    expect(open).toEqual([]);
    expect(text.match(/<h1[ >]/g)).toHaveLength(1);
    const ids = idsIn(text);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no dead link and no unfilled placeholder', async () => {
    const { text } = await read();
    expect(text.replace(/<pre[\s\S]*?<\/pre>/g, '').replace(/ data-copy="[^"]*"/g, '')).not.toMatch(
      /\{\{|undefined|\[object/,
    );
    const dead: string[] = [];
    for (const link of new Set(
      [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href),
    )) {
      const { pathname, hash, origin } = new URL(link, `http://here${path}`);
      if (origin !== 'http://here' || pathname.startsWith('/docs/assets/')) continue;
      const target = await getOnce(`${pathname}?lang=${language}`);
      const resolves =
        target.status === 200 && (hash === '' || idsIn(target.text).includes(hash.slice(1)));
      if (!resolves) dead.push(link);
    }
    expect(dead).toEqual([]);
  });
});

describe('pages', () => {
  it('are rendered once per language and theme, whatever the query (R1.11)', async () => {
    let renders = 0;
    const rendered = createRendered((...args) => {
      renders += 1;
      return docsPage(...args);
    });
    const site = createDocsSite(defaultStackUrls);
    const read = (query: string, language: 'ru' | 'en', theme?: 'dark') =>
      rendered(
        {
          path: '/docs/reference',
          section: 'reference',
          body: site.section('reference', language),
        },
        { path: `/docs/reference?${query}`, language, theme },
      );
    const bytes = new Set<Uint8Array>();
    for (let at = 0; at < 20; at += 1)
      for (const page of [read(`q=${at}`, 'ru'), read('', 'en'), read('', 'en', 'dark')])
        bytes.add(await page);
    expect([bytes.size, renders]).toEqual([3, 3]);
    const [plain, other] = [await get('/docs/guide?lang=en'), await get('/docs/guide?lang=en&q=1')];
    expect(other.text).toBe(plain.text);
  });

  it('are in the browser’s language, unless another was chosen', async () => {
    expect((await get('/docs', { 'accept-language': 'ru' })).text).toContain('<html lang="ru"');
    expect((await get('/docs', { cookie: 'lang=en', 'accept-language': 'ru' })).text).toContain(
      'lang="en"',
    );
  });

  it('have the same sections and examples in both languages', async () => {
    for (const name of sectionNames) {
      const path = name === '' ? '/docs' : `/docs/${name}`;
      const [ru, en] = await Promise.all(
        ['ru', 'en'].map((language) => get(`${path}?lang=${language}`)),
      );
      expect(idsIn(ru?.text ?? '')).toEqual(idsIn(en?.text ?? ''));
      const codes = (text = '') =>
        [...text.matchAll(/data-copy="([^"]+)"/g)].map(([, code]) => code);
      expect(codes(ru?.text)).toEqual(codes(en?.text));
    }
  });

  it('have Russian headings in the overview of the Russian reference', async () => {
    const { text } = await get('/docs/reference?lang=ru');
    const headings = [...text.matchAll(/<h2[^>]*>(.*?)<\/h2>/gs)].map(([, heading = '']) =>
      heading.replace(/<[^>]+>/g, '').trim(),
    );
    expect(headings).toContain('Версии');
    expect(headings.filter((heading) => !/^[А-ЯЁ]/.test(heading))).toEqual([]);
  });

  it('list every endpoint on the home page and in the reference', async () => {
    const [home, reference] = await Promise.all([get('/docs'), get('/docs/reference')]);
    for (const { id, path } of endpoints) {
      expect(home.text).toContain(`<code>${path}</code>`);
      expect(idsIn(reference.text)).toContain(id);
    }
  });

  it('show the URL of this gateway', async () => {
    expect((await get('/docs/guide')).text).toContain('GATEWAY=http://localhost:8080');
  });

  it('show the demo’s URLs, and its key in request forms on its own host only', async () => {
    const read = async (path: string, host = 'localhost:18080') =>
      (await demo.send(`GET ${path}?lang=en`, { headers: { host } })).text;
    expect(await read('/docs/guide')).toContain('GATEWAY=http://localhost:18080');
    expect(await read('/docs/sandbox')).toContain('PROVIDER=http://localhost:18090');
    for (const name of sectionNames) {
      const text = await read(name === '' ? '/docs' : `/docs/${name}`);
      expect(text).not.toMatch(/localhost:(8080|8081|8090)/);
      expect(text.includes('key-of-the-demo')).toBe(name === 'reference');
    }
    const reference = await read('/docs/reference');
    const tried = [...reference.matchAll(/data-try="([a-z]+ [^"]+)"/g)].map(
      ([, request = '']) => request,
    );
    const keyed = endpoints.filter(
      ({ needsKey, path, body }) =>
        needsKey && !path.includes('{') && body?.contentType !== 'text/csv',
    );
    expect(tried.toSorted()).toEqual(
      keyed.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    expect(await read('/docs/reference', 'another.test')).not.toContain('key-of-the-demo');
    expect((await get('/docs/reference')).text).not.toContain('data-try');
  });

  it('have a Russian name for every endpoint', async () => {
    expect(endpoints.map(({ id }) => id).filter((id) => russianNames[id] === undefined)).toEqual(
      [],
    );
  });
});

describe('the search', () => {
  const searchFor = async (query: string, language = 'en') => {
    const { status, text } = await get(
      `/docs/search?lang=${language}&q=${encodeURIComponent(query)}`,
    );
    expect(status).toBe(200);
    const [, results = ''] = /<ol class="found[^>]*>([\s\S]*)<\/ol>/.exec(text) ?? [];
    return { text, links: [...results.matchAll(/<li><a href="([^"]+)"/g)].map(([, link]) => link) };
  };

  it.each([
    ['create a payment', 'en', '/docs/reference#createPayment'],
    ['Отменить платёж', 'ru', '/docs/reference#cancelOperation'],
    ['PROVIDER_not_accepted', 'en', '/docs/errors/provider-not-accepted'],
    ['closed_by_operator', 'en', '/docs/decline-reasons/closed-by-operator'],
    ['подпись', 'ru', '/docs/webhooks#verify'],
    ['1007.00', 'en', '/docs/sandbox#amounts'],
    ['refund', 'en', '/docs/sandbox#options'],
    ['sdk', 'en', '/docs/guide#key'],
    ['test card', 'en', '/docs/sandbox#amounts'],
    ['рефанд', 'ru', '/docs/sandbox#options'],
  ])('finds “%s” in %s', async (query, language, link) => {
    expect((await searchFor(query, language)).links).toContain(link);
  });

  it('ranks a section with that name first, and ignores case', async () => {
    expect((await searchFor('cancel a payment')).links[0]).toBe('/docs/reference#cancelOperation');
    expect((await searchFor('client')).links).toEqual((await searchFor('CLIENT')).links);
  });

  it('suggests similar sections when nothing matches, else all sections', async () => {
    const { text, links } = await searchFor('paymant confirmation nowhere');
    expect(text).toContain('Nothing was found.');
    expect(links).toContain('/docs/reference#confirmPayment');
    const unmatched = await searchFor('xqzv');
    expect([unmatched.links, unmatched.text.includes('href="/docs/guide"')]).toEqual([[], true]);
  });

  it('finds nothing for an empty or overlong query, and escapes the query', async () => {
    expect((await searchFor('')).links).toEqual([]);
    const { text } = await searchFor('"><script>alert(1)</script>');
    expect(text).not.toContain('<script>alert');
    expect((await searchFor('a'.repeat(5_000))).links).toEqual([]);
  });

  it('uses at most eight different words of two letters or more (R1.11)', async () => {
    const eight = 'payment operation status amount request answer gateway provider';
    const { links } = await searchFor(`a ${eight} payment nowhere`);
    expect(links).not.toEqual([]);
    expect(links).toEqual((await searchFor(eight)).links);
    expect((await searchFor('q x payment')).links).not.toEqual([]);
    expect((await searchFor('b')).text).toContain('Nothing was found.');
  });

  it('reads each text only once, when it is added (R1.11)', () => {
    const search = createSearch();
    let reads = 0;
    const text = 'payment operation status';
    search.add({
      path: '/a',
      page: 'A',
      heading: 'B',
      get text() {
        reads += 1;
        return text;
      },
    });
    const before = reads;
    expect(search.find('ayment perat tatu ope no')).toEqual([]);
    expect(reads).toBe(before);
    expect(search.find('pay operation')).toHaveLength(1);
  });

  it('builds its index section by section, and yields between them', async () => {
    const site = createDocsSite(defaultStackUrls);
    let turns = 0;
    let indexed = false;
    const otherWork = (async () => {
      while (!indexed) {
        await setImmediate();
        turns += 1;
      }
    })();
    await site.search('payment', 'en');
    indexed = true;
    await otherWork;
    const parts = sectionNames
      .map((name) => toSearchEntries({ path: name, ...site.section(name, 'en') }).length)
      .reduce((sum, count) => sum + count, 0);
    expect(parts).toBeGreaterThan(60);
    expect(turns).toBeGreaterThan(parts + problemCodes.length + fieldCodes.length);
  });

  it('limits an address to 30 searches at once (R1.11)', async () => {
    const one = createApiWithoutStores();
    const search = () => one.send('GET /docs/search?q=payment', { headers: {} });
    const answers = await Promise.all(Array.from({ length: 100 }, search));
    const [found, refused] = [200, 429].map((code) =>
      answers.filter(({ status }) => status === code),
    );
    expect(found?.length).toBeGreaterThanOrEqual(30);
    expect(refused?.[0]).toMatchObject({ problem: { code: 'rate_limited', retryable: true } });
    expect(refused?.[0]?.headers.get('retry-after')).toMatch(/^[123]$/);
    expect((await one.send('GET /docs', { headers: {} })).status).toBe(200);
  });

  it('links every result to an existing section', async () => {
    for (const link of (await searchFor('operation')).links) {
      const { pathname, hash } = new URL(link ?? '', 'http://here');
      const { status, text } = await getOnce(`${pathname}?lang=en`);
      expect([status, hash === '' || idsIn(text).includes(hash.slice(1))]).toEqual([200, true]);
    }
  });
});

describe('a decline reason', () => {
  it.each(declineReasons)('%s has a page with advice in both languages (R5.15)', async (reason) => {
    const [english, russian] = await Promise.all(
      ['en', 'ru'].map((language) => get(`${pathOfReason(reason)}?lang=${language}`)),
    );
    expect(english?.status).toBe(200);
    expect(english?.text).toContain(`<h1 class="code-title">${reason}</h1>`);
    expect(english?.text).toContain('<h2>What to do</h2>');
    expect(russian?.text).toContain('<h2>Что делать</h2>');
    expect((await get('/docs/statuses?lang=en')).text).toContain(pathOfReason(reason));
  });

  it.each(['no_route', 'nonsense'])('%s has no page', async (name) => {
    expect((await get(`/docs/decline-reasons/${name}`)).status).toBe(404);
  });
});

describe('an error code', () => {
  it.each(problemCodes)('%s has a page at the path of its problem type (R2.9)', async (code) => {
    const { status, text } = await getOnce(`${new URL(problemType(code)).pathname}?lang=en`);
    expect(status).toBe(200);
    expect(text).toContain(`<h1 class="code-title">${code}</h1>`);
    expect(text).toContain(`Status ${problems[code].status}`);
    for (const heading of ['Cause', 'What to do', 'Where it occurs'])
      expect(text).toContain(`<h2>${heading}</h2>`);
    expect(text).toContain(problemType(code));
    // Its body, page and advice agree on whether it is retryable.
    const sent = JSON.parse(
      renderProblem(new Problem(code), { path: '/', requestId: 'request-1' }).body,
    ) as { retryable: boolean };
    expect(text).toContain(sent.retryable ? 'safe to retry' : 'do not retry');
    const toRepeat = /\bRetry (?:once|the same)/.test(problemExplanations[code].action);
    expect(sent.retryable || !toRepeat).toBe(true);
  });

  it.each(fieldCodes)('%s of a field has a page', async (code) => {
    const { status, text } = await get(`${pathOfCode(code)}?lang=ru`);
    expect(status).toBe(200);
    expect(text).toContain(`<h1 class="code-title">${code}</h1>`);
  });
});
