import { expect, it } from 'vitest';
import type { StatementLine, StatementPage } from '../providers/connector.ts';
import { fetchStatement } from './fetch.ts';

const of = { provider: 'bank', account: 'default', currency: 'RUB', day: '2026-01-31' };
const bounds = { timeoutMs: 1_000 };
const line = (legId: string, change: Partial<StatementLine> = {}): StatementLine => ({
  kind: 'transfer',
  direction: 'in',
  legId,
  amount: '1.00',
  completedAt: '2026-01-31T12:00:00.000Z',
  ...change,
});
const page = (change: Partial<StatementPage> = {}): StatementPage => ({
  outcome: 'known',
  lines: [line('a')],
  final: true,
  ...change,
});
/** A provider that gives these pages, one after the other. */
const providerOf = (...pages: StatementPage[]) => {
  const requestedPages: (string | undefined)[] = [];
  return {
    requestedPages,
    statement: async (query: { page?: string }) => {
      requestedPages.push(query.page);
      return pages[requestedPages.length - 1] ?? page({ next: 'x', lines: [] });
    },
  };
};

it('requests all pages in order, and numbers the lines (R22.10)', async () => {
  const returnLine = line('b', {
    kind: 'return',
    direction: 'out',
    ofLegId: 'a',
    of: { operationId: 'o', attempt: 2 },
  });
  const balances = { openingBalance: '5.00', closingBalance: '5.00' };
  const provider = providerOf(
    page({ next: '2', ...balances }),
    page({ lines: [returnLine], ...balances }),
  );
  expect(await fetchStatement(provider, of, bounds)).toEqual({
    outcome: 'fetched',
    statement: {
      of,
      source: 'provider',
      ...balances,
      lines: [
        {
          line: 1,
          kind: 'transfer',
          direction: 'in',
          leg_id: 'a',
          amount: '1.00',
          completed_at: '2026-01-31T12:00:00.000Z',
        },
        {
          line: 2,
          kind: 'return',
          direction: 'out',
          leg_id: 'b',
          of_leg_id: 'a',
          operation_id: 'o',
          attempt: 2,
          amount: '1.00',
          completed_at: '2026-01-31T12:00:00.000Z',
        },
      ],
    },
  });
  expect(provider.requestedPages).toEqual([undefined, '2']);
});

it('accepts lines of 0.00, and a fee posted days later (R22.10)', async () => {
  const lines = [
    line('waived', { kind: 'fee', amount: '0.00' }),
    line('none', { amount: '0.00' }),
    line('late', { kind: 'fee', completedAt: '2026-02-05T12:00:00.000Z' }),
  ];
  const fetched = await fetchStatement(providerOf(page({ lines })), of, bounds);
  expect(fetched).toMatchObject({ outcome: 'fetched', statement: { lines: [{}, {}, {}] } });
});

it('fetches nothing of a day that is not final', async () => {
  expect(await fetchStatement(providerOf(page({ final: false })), of, bounds)).toEqual({
    outcome: 'not_yet',
    cause: 'the day is not over there',
  });
});

it.each([
  ['line 1: amount', [page({ lines: [line('a', { amount: '1.0' })] })]],
  [
    'line 2: completed_at',
    [page({ lines: [line('a'), line('b', { completedAt: '2026-02-05T12:00:00.000Z' })] })],
  ],
  [
    'line 1: attempt',
    [page({ lines: [line('a', { of: { operationId: 'o', attempt: 2 ** 31 } })] })],
  ],
  ['line 1: leg_id', [page({ lines: [line('a\0')] })]],
  ['opening balance', [page({ openingBalance: `${'9'.repeat(40)}.00` })]],
  ['closing balance', [page({ closingBalance: '1' })]],
  ['more than 500000 lines', [page({ lines: Array.from({ length: 500_001 }, () => line('a')) })]],
  [
    'more than 5000 pages',
    Array.from({ length: 5_001 }, (_, index) => page({ next: `${index + 2}` })),
  ],
  ['a page that leads nowhere', [page({ next: '2' }), page({ next: '2' })]],
  ['a page that leads nowhere', [page({ next: '2' }), page({ next: '3', lines: [] })]],
])('rejects an invalid statement: %s (R22.10, R22.14)', async (cause, pages) => {
  expect(await fetchStatement(providerOf(...pages), of, bounds)).toEqual({
    outcome: 'unavailable',
    cause,
  });
});
