import { expect, it } from 'vitest';
import { problems, problemType, type ProblemCode } from '#shared/http/problems.ts';
import { createEdges } from '../testing/edges.ts';
import { endpoints } from '../openapi/document.ts';
import { fieldExplanations } from '../openapi/explanations.ts';
import { documentText } from '../openapi/file.ts';
import { markdown } from './markdown.ts';

const { send } = createEdges();
const get = (path: string) => send(`GET ${path}`, { headers: {} });

it('GET /openapi.json is the document, without a key', async () => {
  const { status, headers, text } = await get('/openapi.json');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(text).toBe(documentText());
});

it('GET /docs needs no key, no script and nothing from elsewhere', async () => {
  const { status, headers, text } = await get('/docs');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /);
  expect(text).not.toMatch(/<script|<style|style="|<img|@import|javascript:| on\w+="/);
  const loaded = [...text.matchAll(/<link[^>]*href="([^"]+)"/g)].map(([, href]) => href);
  expect(loaded).toEqual(['/docs/style.css']);
  const style = await get('/docs/style.css');
  expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  expect(style.text).toContain('prefers-color-scheme: dark');
});

it('the page is well-formed, and every link within it leads somewhere', async () => {
  const { text } = await get('/docs');
  const open: string[] = [];
  for (const [, closing, name = ''] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (['meta', 'link'].includes(name)) continue;
    if (closing === '') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else open.push(`unexpected </${name}>`);
  }
  expect(open).toEqual([]);
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
  expect(targets.length).toBeGreaterThan(100);
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
  for (const { id } of endpoints) expect(ids).toContain(id);
});

it('the path of every problem’s type leads to what explains it', async () => {
  const { text } = await get('/docs');
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const { status, headers } = await get(new URL(problemType(code)).pathname);
    const location = headers.get('location') ?? '';
    expect([status, location]).toEqual([302, `/docs#error-${code.replaceAll('_', '-')}`]);
    expect(text).toContain(` id="${location.slice('/docs#'.length)}"`);
  }
  for (const code of Object.keys(fieldExplanations)) {
    const { headers } = await get(`/errors/${code.replaceAll('_', '-')}`);
    expect(headers.get('location')).toBe(`/docs#field-${code.replaceAll('_', '-')}`);
  }
  for (const path of ['/errors', '/errors/', '/errors/nothing', '/errors/constructor', '/errors/%3Cb%3E']) {
    expect((await get(path)).status).toBe(404);
  }
});

it('text is text, whatever it holds', () => {
  expect(markdown('a <b> & `<c>` [d](https://e.example/?a=1&b=2)\n\n## F')).toBe(
    '<p>a &lt;b&gt; &amp; <code>&lt;c&gt;</code> <a href="https://e.example/?a=1&amp;b=2">d</a></p>\n<h2 id="f">F</h2>',
  );
});
