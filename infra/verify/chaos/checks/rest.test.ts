import { expect, it } from 'vitest';
import type { Told } from '../load/history.ts';
import { tellStory } from '../load/stories.ts';
import type { Arrival } from '../sink.ts';
import { checkBalanceAnswer, checkBalances, type Final } from './rest.ts';
import { checkWebhooks } from './webhooks.ts';

const story = { ...tellStory(1, 1), shop: 0 };
const final = (view: Record<string, string> | undefined, told: Told[] = []): Final => ({
  acted: { story, told, stuck: [], operationId: 'a' },
  view: view && { settlement_currency: 'RUB', ...view },
});
const answer = (body: unknown, status = 200): Told => ({
  what: 'balances',
  askedMs: 0,
  toldMs: 1,
  status,
  replayed: false,
  retryAfter: false,
  body,
});
const heard = (check: (find: (what: string) => void) => void) => {
  const what: string[] = [];
  check((finding) => void what.push(finding));
  return what;
};

it('balances follow from ends, from what is under way, and from what an operator was told', () => {
  const finals = [
    final({ type: 'payment', status: 'completed', settlement_amount: '97.50' }),
    final({ type: 'payment', status: 'cancelled', settlement_amount: '0.00' }),
    final({ type: 'payment', status: 'pending', settlement_amount: '5.00' }),
    final({ type: 'payout', status: 'completed', settlement_amount: '10.25' }),
    final({ type: 'payout', status: 'pending', settlement_amount: '20.50' }),
    final(undefined),
  ];
  const adjusted = [
    { shop: 0, currency: 'RUB', amount: '-1.00' },
    { shop: 1, currency: 'RUB', amount: '7.00' },
  ];
  const shown = (balance: string, reserved: string) =>
    heard((find) => {
      const told = answer({ balances: [{ currency: 'RUB', balance, reserved }] });
      checkBalances({ shop: 0, finals, adjusted, told }, find);
    });
  expect(shown('65.75', '20.50')).toEqual([]);
  expect(shown('65.76', '20.50')).toEqual(['a balance does not follow from what was told']);
  expect(shown('65.75', '0.00')).toEqual(['a balance does not follow from what was told']);
});

it('a balance does not contradict itself', () => {
  const row = { currency: 'RUB', balance: '-3.00', reserved: '1.00', current_minus: '2.00' };
  const check = (told: Told) => heard((find) => checkBalanceAnswer(told, find));
  expect(check(answer({ balances: [row] }))).toEqual([]);
  expect(check(answer({ balances: [{ ...row, current_minus: '3.00' }] }))).toHaveLength(1);
  expect(check(answer({ code: 'accounting_unavailable' }, 503))).toEqual([]);
  expect(check(answer({ code: 'internal_error' }, 500))).toEqual(['balances were refused']);
});

/** `1 awaiting_confirmation @3-5`: came at 3 and was taken at 5; `@3` was not taken. */
const arrivals = (...texts: string[]): Arrival[] =>
  texts.map((text) => {
    const [, sequence, name, arrivedAt, takenAt] =
      /^(\d) (\w+) @(\d+)(?:-(\d+))?$/.exec(text) ?? [];
    return {
      id: `id-${sequence}`,
      type: `payment.${name}`,
      sequence: Number(sequence),
      operationId: 'a',
      operation: { type: 'payment', status: name, settlement_currency: 'RUB' },
      body: `body of ${sequence}`,
      arrivedAt: Number(arrivedAt),
      arrivedAtMs: 0,
      lateMs: 0,
      takenAt: takenAt === undefined ? undefined : Number(takenAt),
    };
  });

const told = (...came: string[]) =>
  heard((find) =>
    checkWebhooks(final({ type: 'payment', status: 'completed' }), arrivals(...came), find),
  );

it('webhooks may come again, and must when they were not taken', () => {
  expect(told('1 awaiting_confirmation @1-2', '2 completed @3', '2 completed @4-5')).toEqual([]);
  expect(told('1 completed @1-2', '1 completed @3-4')).toEqual([]);
});

it.each([
  ['a webhook never came: payment.completed', ['1 awaiting_confirmation @1-2', '2 completed @3']],
  ['a webhook never came: the one with sequence 1', ['2 completed @3-4']],
  [
    'webhooks of an operation came out of order',
    ['2 completed @1-2', '1 awaiting_confirmation @3-4'],
  ],
  [
    'webhooks of an operation came out of order',
    ['1 awaiting_confirmation @1-4', '2 completed @2-3'],
  ],
  ['an operation ended twice, to its webhooks', ['1 expired @1-2', '2 completed @3-4']],
  ['a webhook and an answer tell of two ends', ['1 expired @1-2']],
])('webhooks: %s', (what, came) => expect(told(...came)).toContain(what));
