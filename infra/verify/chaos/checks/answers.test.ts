import { describe, expect, it } from 'vitest';
import type { Told } from '../load/history.ts';
import { checkAnswers } from './answers.ts';

const order = { type: 'payment', method: 'WT_RUB_C2C', amount: '10.00' } as const;
const pending = {
  operation_id: 'a',
  type: 'payment',
  status: 'pending',
  method: 'WT_RUB_C2C',
  expected_amount: '10.00',
  actual_amount: '0.00',
  number: '2200000000000000',
};
const { number: _, ...bare } = pending;
const cancelled = { ...bare, status: 'cancelled' };
const completed = {
  ...pending,
  status: 'completed',
  actual_amount: '10.00',
  settlement_amount: '9.75',
};
const won = {
  outcome: 'cancelled',
  operation: { operation_id: 'a', type: 'payment', status: 'cancelled' },
};
const rejected = { code: 'provider_not_accepted', detail: 'every one refused', operation_id: 'a' };

/** `create 200 @1-2`: sent at 1, answered at 2. */
const told = (text: string, body: unknown, more: Partial<Told> = {}): Told => {
  const [, what, status, askedMs, toldMs] = /^(\w+) (\d+) @(\d+)-(\d+)$/.exec(text) ?? [];
  return {
    what: what as Told['what'],
    status: Number(status),
    askedMs: Number(askedMs),
    toldMs: Number(toldMs),
    replayed: false,
    retryAfter: false,
    body,
    ...more,
  };
};

const found = (answers: readonly Told[], ordered: Parameters<typeof checkAnswers>[0] = order) => {
  const what: string[] = [];
  checkAnswers(ordered, answers, (finding) => void what.push(finding));
  return what;
};

const replayed = { replayed: true };

describe('what was said of an operation', () => {
  it.each([
    [
      'a create, reads, a repeat after the end',
      [
        told('read 404 @0-1', { code: 'operation_not_found' }),
        told('create 200 @1-4', pending),
        told('create 503 @2-3', { code: 'not_ready' }, { retryAfter: true }),
        told('read 200 @5-9', completed),
        told('read 200 @6-7', pending),
        told('create 200 @10-11', completed, replayed),
      ],
    ],
    [
      'a cancel beside a create that had been answered',
      [
        told('create 200 @1-4', pending),
        told('cancel 200 @2-3', won),
        told('create 200 @5-6', cancelled, replayed),
        told('page 200 @5-6', { text: 'cancelled 22' }),
      ],
    ],
    [
      'another body first',
      [
        told('other 200 @1-2', { ...pending, expected_amount: '7.77' }),
        told('create 412 @1-3', { code: 'idempotency_body_mismatch' }),
      ],
    ],
    [
      'a rejection, again, and its cancel',
      [
        told('create 422 @1-2', rejected),
        told('create 422 @3-4', rejected, replayed),
        told('read 200 @3-4', { ...bare, status: 'declined' }),
        told('cancel 200 @5-6', {
          outcome: 'already_terminal',
          operation: { operation_id: 'a', type: 'payment', status: 'declined' },
        }),
      ],
    ],
  ])('may be: %s', (_name, answers) => expect(found(answers)).toEqual([]));

  it.each([
    [
      'an answer has a status that nothing explains',
      [told('read 500 @1-2', { code: 'internal_error' })],
    ],
    [
      'a 503 has no code of one',
      [told('read 503 @1-2', { code: 'forbidden' }, { retryAfter: true })],
    ],
    ['a 503 does not say when to come back', [told('read 503 @1-2', { code: 'not_ready' })]],
    [
      'one key has several operations',
      [told('create 200 @1-2', pending), told('read 200 @1-2', { ...pending, operation_id: 'b' })],
    ],
    [
      'number has changed',
      [told('create 200 @1-2', pending), told('read 200 @1-2', { ...pending, number: '22' })],
    ],
    [
      'what was cancelled shows number',
      [told('read 200 @1-2', { ...pending, status: 'cancelled' })],
    ],
    [
      'what was cancelled has a page',
      [told('create 200 @1-2', { ...cancelled, payment_url: 'http://a' })],
    ],
    [
      'an end was shown in two ways',
      [
        told('read 200 @1-2', completed),
        told('read 200 @1-2', { ...completed, settlement_amount: '9.74' }),
      ],
    ],
    [
      'completed became pending',
      [told('read 200 @1-2', completed), told('read 200 @2-3', pending)],
    ],
    [
      'money that was shown has gone',
      [
        told('read 200 @1-2', { ...pending, actual_amount: '5.00' }),
        told('read 200 @3-4', pending),
      ],
    ],
    [
      'a create was refused for another that nobody sent',
      [told('create 412 @1-2', { code: 'idempotency_body_mismatch' })],
    ],
    [
      'two bodies were taken under one key',
      [told('create 200 @1-2', pending), told('other 200 @1-2', { ...pending })],
    ],
    [
      'a create was answered with what was not ordered',
      [told('create 200 @1-2', { ...pending, expected_amount: '11.00' })],
    ],
    [
      'a repeat is not said to be one',
      [told('create 200 @1-2', pending), told('create 200 @2-3', pending)],
    ],
    [
      'the same create was answered in two ways',
      [
        told('create 422 @1-2', rejected),
        told('create 422 @1-2', { ...rejected, code: 'insufficient_funds' }),
      ],
    ],
    [
      'what was rejected lives on',
      [told('create 422 @1-2', rejected), told('read 200 @1-2', pending)],
    ],
    [
      'a repeated cancel was decided anew',
      [
        told('cancel 200 @1-2', won),
        told('cancel 200 @1-2', { ...won, outcome: 'already_terminal' }),
      ],
    ],
    [
      'a cancel was answered with what is no end',
      [
        told('cancel 200 @1-2', {
          outcome: 'cancelled',
          operation: { ...won.operation, status: 'pending' },
        }),
      ],
    ],
    [
      'a cancel and an answer tell of two ends',
      [told('cancel 200 @1-2', won), told('read 200 @0-1', completed)],
    ],
    [
      'what a cancel has ended goes on',
      [told('cancel 200 @1-2', won), told('read 200 @2-3', pending)],
    ],
    [
      'the page of what was cancelled shows where to pay',
      [
        told('create 200 @0-1', pending),
        told('cancel 200 @1-2', won),
        told('page 200 @3-4', { text: '<b>2200 0000 0000 0000</b>' }),
      ],
    ],
    [
      'what was told of is not there',
      [told('create 200 @1-2', pending), told('read 404 @2-3', { code: 'operation_not_found' })],
    ],
  ])('can not be: %s', (what, answers) => expect(found(answers)).toContain(what));
});

it('a payout whose key was cancelled first is refused', () => {
  const answers = [
    told('cancel 200 @1-2', won),
    told('create 412 @3-4', { code: 'idempotency_body_mismatch' }),
  ];
  expect(found(answers, { ...order, type: 'payout' })).toEqual([]);
  expect(found(answers)).toEqual(['a create was refused for another that nobody sent']);
});
