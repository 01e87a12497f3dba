import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { Problem } from '#shared/platform/http/problems.ts';
import { readFormValues } from './form.ts';

const app = new Hono();
app.post('/', async (c) => c.json(await readFormValues(c)));
app.post('/large', async (c) => c.json(await readFormValues(c, 4_000)));
app.onError((error, c) =>
  c.json(error instanceof Problem ? { code: error.code, detail: error.detail } : 'bug'),
);
const post = async (fields: number, path = '/') => {
  const body = Array.from({ length: fields }, (_, at) => `f${at}=${at}`).join('&');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await app.request(path, { method: 'POST', headers, body });
  return (await response.json()) as Record<string, string>;
};

it('rejects a form with more fields than its page has (R2.3)', async () => {
  expect(Object.keys(await post(100))).toHaveLength(100);
  const refusal = { code: 'invalid_request', detail: 'a form may have 100 fields' };
  expect(await post(101)).toEqual(refusal);
  expect(await post(20_000)).toEqual(refusal);
  expect(Object.keys(await post(4_000, '/large'))).toHaveLength(4_000);
  expect(await post(4_001, '/large')).toMatchObject({ code: 'invalid_request' });
});
