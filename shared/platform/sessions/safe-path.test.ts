import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { safePath } from './safe-path.ts';

const app = new Hono();
app.get('/', (c) => c.redirect(safePath(c.req.query('to')), 303));
const locationOf = async (to: string) =>
  (await app.request(`/?to=${encodeURIComponent(to)}`)).headers.get('location');

it.each(['/', '/operations?status=pending&q=a%20b', '/review#top', '/a/../b', '/./x'])(
  'redirects to %s',
  async (path) => {
    expect(await locationOf(path)).toBe(path);
  },
);

it.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\b',
  '/ a',
  '/\t/evil.example',
  '/a\r\nset-cookie: x=y',
  '/a\0b',
  '/a\x7f',
  '/a\x01',
  'javascript:alert(1)',
  '',
])('redirects to / instead of %j', async (text) => {
  expect(await locationOf(text)).toBe('/');
});
