import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { readJson } from './body.ts';
import { Problem } from './problems.ts';

async function codeOf(
  body: string | ReadableStream,
  headers: Record<string, string> = {},
): Promise<string> {
  const app = new Hono();
  app.post('/', async (c) => c.text(`read ${typeof (await readJson(c))}`));
  app.onError((error, c) => c.text(error instanceof Problem ? error.code : 'a bug'));
  const init = {
    method: 'POST',
    body,
    duplex: 'half' as const,
    headers: { 'content-type': 'application/json', ...headers },
  };
  return (await app.request('/', init)).text();
}

it('reads JSON of 64 levels and rejects 65', async () => {
  expect(await codeOf('['.repeat(64) + ']'.repeat(64))).toBe('read object');
  expect(await codeOf('['.repeat(65) + ']'.repeat(65))).toBe('invalid_json');
  expect(await codeOf(JSON.stringify('"\\' + '['.repeat(100)))).toBe('read string');
});

it.each([
  '{"a":1,"a":1}',
  '{"a":{"b":[{"c":1,"d":2,"c":3}]}}',
  String.raw`{"a":1,"\u0061":2}`,
  '{"__proto__":1,"__proto__":2}',
])('rejects an object that has a member twice: %s (R2.3)', async (text) => {
  expect(await codeOf(text)).toBe('invalid_request');
});

it.each([
  '[{"a":1},{"a":1}]',
  '{"a":{"a":":"},"b":["a:b"]}',
  '{"__proto__":1,"1":{"1":2}}',
  String.raw`{"a\":":1,"a":2}`,
])('accepts a member of the same name elsewhere: %s', async (text) => {
  expect(await codeOf(text)).toBe('read object');
});

it('answers an interrupted body with invalid_request', async () => {
  const broken = new ReadableStream({
    pull: (controller) => controller.error(new Error('aborted')),
  });
  expect(await codeOf(broken)).toBe('invalid_request');
});

it('rejects an encoded body', async () => {
  expect(await codeOf('{}', { 'content-encoding': 'gzip' })).toBe('content_type_unsupported');
  expect(await codeOf('{}', { 'content-encoding': 'identity' })).toBe('read object');
});

it('rejects a body that is not in UTF-8', async () => {
  const invalid = new ReadableStream({
    start: (controller) => {
      controller.enqueue(Uint8Array.of(0x22, 0xff, 0x22));
      controller.close();
    },
  });
  expect(await codeOf(invalid)).toBe('invalid_json');
});
