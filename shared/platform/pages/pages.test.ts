import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import {
  createAssets,
  formatAmount,
  html,
  keepPreferences,
  htmlPage,
  pageHeaders,
  readPreferences,
  refuseCrossSite,
  securePages,
} from './index.ts';
import { acceptedLanguage } from './language.ts';
import { themeTokens } from './styles/tokens.ts';

const assets = createAssets({
  'test.css': ['body{}'],
  'icon.svg': [new URL('icon.svg', import.meta.url)],
});

function app() {
  const pages = new Hono();
  pages.onError((error) => new Response(error.message, { status: 403 }));
  pages.use(securePages(), keepPreferences(), refuseCrossSite());
  assets.register(pages);
  pages.get('/fine', (c) => {
    const preferences = readPreferences(c);
    const title = c.req.query('title') ?? 'Title';
    return c.html(
      htmlPage({ preferences, title, styles: [assets.url('test.css')], body: html`<h1>Hi</h1>` }),
    );
  });
  pages.notFound((c) =>
    c.html(
      htmlPage({ preferences: readPreferences(c), title: '', styles: [], body: html`<h1>Hi</h1>` }),
      404,
    ),
  );
  pages.post('/act', (c) => c.text('done'));
  return pages;
}
const get = (path: string, headers: Record<string, string> = {}) =>
  app().request(path, { headers });

describe('page language', () => {
  it.each([
    ['ru-RU,ru;q=0.9,en;q=0.8', 'ru'],
    ['en-GB,ru;q=0.9', 'en'],
    ['de, ru;q=0.5, en;q=0.4', 'ru'],
    ['ru;q=0, en;q=0.1', 'en'],
    ['de', 'en'],
    ['ru;q=nonsense', 'en'],
    [undefined, 'en'],
  ])('for Accept-Language %s is %s', (header, language) => {
    expect(acceptedLanguage(header)).toBe(language);
  });

  it('comes from the query, then the cookie, then the browser', async () => {
    const headers = { 'accept-language': 'en', cookie: 'lang=ru' };
    expect(await (await get('/fine?lang=en', headers)).text()).toContain('<html lang="en"');
    expect(await (await get('/fine', headers)).text()).toContain('<html lang="ru"');
    expect(await (await get('/fine?lang=xx', { cookie: 'lang=yy' })).text()).toContain(
      '<html lang="en"',
    );
  });

  it('is stored in a cookie when chosen; the switch keeps the rest of the query', async () => {
    const answer = await get('/fine?lang=ru&q=a%26b');
    expect(answer.headers.get('set-cookie')).toMatch(/^lang=ru;.*SameSite=Lax/);
    expect(await answer.text()).toContain('href="/fine?lang=en&amp;q=a%26b"');
    expect((await get('/fine?lang=fr')).headers.has('set-cookie')).toBe(false);
  });

  it.each(['//fine', '////', '//evil.example/fine', '/%2f/'])(
    'is switched on this host: %s',
    async (path) => {
      const text = await (await get(`http://a.test${path}`)).text();
      const links = [...text.matchAll(/href="([^"]*lang=[^"]*)"/g)];
      expect(links.length).toBeGreaterThan(0);
      expect(links.map(([, href = '']) => href[1])).not.toContain('/');
      expect(text).toContain('<h1>Hi</h1>');
    },
  );
});

describe('page', () => {
  it('escapes its title', async () => {
    const text = await (await get(`/fine?title=${encodeURIComponent('</title><script>"')}`)).text();
    expect(text).toContain('<title>&lt;/title&gt;&lt;script&gt;&quot;</title>');
    expect(text).not.toContain('<script>');
  });

  it('has the chosen theme, else the system’s', async () => {
    expect(await (await get('/fine?theme=dark')).text()).toContain('data-theme="dark"');
    expect(await (await get('/fine', { cookie: 'theme=light' })).text()).toContain(
      'data-theme="light"',
    );
    expect(await (await get('/fine', { cookie: 'theme="><script>' })).text()).not.toContain(
      'data-theme="',
    );
  });

  it('has the security headers, also on errors', async () => {
    for (const path of ['/fine', '/nowhere']) {
      const { headers } = await get(path);
      for (const [name, value] of Object.entries(pageHeaders()))
        expect(headers.get(name)).toBe(value);
    }
    expect(pageHeaders()['content-security-policy']).not.toMatch(/unsafe|\*|http/);
  });
});

it('serves assets as immutable under their hash, and no other files', async () => {
  const answer = await get(assets.url('test.css'));
  expect(answer.headers.get('cache-control')).toContain('immutable');
  expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8');
  expect(await answer.text()).toBe('body{}');
  expect((await get('/assets/test.css')).status).toBe(404);
  expect((await get('/assets/..%2fpages.test.ts')).status).toBe(404);
});

it('rejects cross-site requests', async () => {
  const post = async (headers: Record<string, string>) =>
    (await app().request('/act', { method: 'POST', headers: { host: 'a.test', ...headers } }))
      .status;
  expect(await post({ 'sec-fetch-site': 'same-origin', origin: 'null' })).toBe(200);
  expect(await post({ origin: 'https://a.test' })).toBe(200);
  expect(await post({})).toBe(200);
  expect(await post({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await post({ 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await post({ origin: 'https://b.test' })).toBe(403);
  expect(await post({ origin: 'null' })).toBe(403);
});

it('formats amounts exactly', () => {
  const plain = (text: string) => text.replaceAll(/\s/g, ' ');
  expect(plain(formatAmount('ru', '999999999999999.01', 'RUB'))).toBe('999 999 999 999 999,01 ₽');
  expect(plain(formatAmount('en', '1234.50', 'RUB'))).toBe('₽1,234.50');
  expect(plain(formatAmount('en', '0.00', 'USD'))).toBe('$0.00');
  expect(plain(formatAmount('ru', '0.00', 'USD'))).toBe('0,00 $');
  expect(plain(formatAmount('en', '1234.50', 'USDT'))).toBe('USDT 1,234.50');
  expect(plain(formatAmount('ru', '-1.05', 'RUB'))).toBe('−1,05 ₽');
  expect(plain(formatAmount('en', '-1.05', 'RUB'))).toBe('−₽1.05');
  expect(formatAmount('en', '-1.05', '')).toBe('−1.05');
});

/** WCAG 2.2: relative luminance, contrast. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(['light', 'dark'])('colours of the %s theme', (theme) => {
  const blocks = themeTokens.split('\n');
  const block = (theme === 'light' ? blocks[0] : blocks.at(-1)) ?? '';
  const colour = (name: string) => new RegExp(`--${name}:(#[0-9a-f]{6});`).exec(block)?.[1] ?? '';

  it.each([
    'text',
    'muted',
    'accent',
    'accent-hover',
    'success',
    'warning',
    'danger',
    'info',
    'neutral',
  ])('give %s text a contrast of 4.5 on each background', (name) => {
    const soft = colour(`${name}-soft`);
    for (const background of ['page', 'surface', 'sunken']
      .map(colour)
      .concat(soft === '' ? [] : [soft]))
      expect(contrast(colour(name), background)).toBeGreaterThanOrEqual(4.5);
  });

  it('give buttons a contrast of 4.5, and borders one of 3', () => {
    expect(contrast(colour('accent-ink'), colour('accent'))).toBeGreaterThanOrEqual(4.5);
    for (const background of ['page', 'surface'])
      expect(contrast(colour('line-strong'), colour(background))).toBeGreaterThanOrEqual(3);
  });
});
