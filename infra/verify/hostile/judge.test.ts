import { expect, it } from 'vitest';
import { judgeExchange } from './judge.ts';
import type { RawAnswer } from './raw-client.ts';

const problem = { code: 'invalid_json', status: 400, request_id: 'request-1' };

/** A correct error response, with these changes. */
function refusal({
  status = 400,
  headers = {},
  body = JSON.stringify(problem),
}: {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}): RawAnswer {
  const sound = { 'content-type': 'application/problem+json', 'x-request-id': 'request-1' };
  return { status, headers: new Map(Object.entries({ ...sound, ...headers })), body };
}

const judged = (answer: RawAnswer) =>
  judgeExchange({ end: 'closed', answers: [answer] }, 'problem');

it('accepts an error with a problem document', () => {
  expect(judged(refusal({}))).toBeUndefined();
});

const unready = { ...problem, code: 'not_ready', status: 503 };
it.each([
  ['a crash', refusal({ status: 502 }), 'a 5xx'],
  ['a stack trace', refusal({ body: 'at Object.read (file.js)' }), 'shows internals'],
  ['a page', refusal({ headers: { 'content-type': 'text/html' } }), 'a page, where programs ask'],
  ['plain text', refusal({ headers: { 'content-type': 'text/plain' } }), 'no problem document'],
  [
    'an unknown code',
    refusal({ body: JSON.stringify({ ...problem, code: 'oops' }) }),
    'the code oops is not one',
  ],
  [
    'a 503 without Retry-After',
    refusal({ status: 503, body: JSON.stringify(unready) }),
    'a 503 without Retry-After',
  ],
  [
    'the id of another request',
    refusal({ headers: { 'x-request-id': 'request-2' } }),
    'another request id',
  ],
])('reports %s', (_what, answer, fault) => {
  expect(judged(answer)).toContain(fault);
});

it('reports a connection that is neither answered nor closed', () => {
  expect(judgeExchange({ end: 'hang', answers: [] }, 'problem')).toContain(
    'neither answered nor closed',
  );
});
