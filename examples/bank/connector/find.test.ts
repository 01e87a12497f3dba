import { expect, it } from 'vitest';
import { routeSchema } from '#shared/domain/routing.ts';
import { findTransfers, type BankPort } from './find.ts';

const route = routeSchema.parse({
  type: 'payout',
  method: 'WT_RUB_C2C',
  currency: 'RUB',
  provider: 'bank',
  commission: { percent: '1' },
});

it.each([
  ['5 min', 300_000, ['2026-01-30', '2026-01-31']],
  ['15 min', 900_000, ['2026-01-30', '2026-01-31', '2026-02-01']],
])(
  'searches for an order on each day within a clock skew of %s',
  async (_name, clockSkewMs, days) => {
    const nowMs = Date.parse('2026-01-31T23:54:00.000Z');
    const listedDays: string[] = [];
    const listings: BankPort['listings'] = {
      of: async (day) => {
        listedDays.push(day);
        return { ok: true, listing: { incoming: () => [], outgoing: () => [] } };
      },
    };
    const bank = { listings, clockSkewMs, arrivalMs: 0, now: () => nowMs } as unknown as BankPort;
    const acceptUntil = '2026-01-31T23:52:00.000Z';
    const attempt = { operationId: 'o', attempt: 1, type: 'payout', route, acceptUntil } as const;
    await findTransfers(bank, attempt, { timeoutMs: 100, untilMs: nowMs, sinceMs: nowMs });
    expect(listedDays).toEqual(days);
  },
);
