import { expect, it } from 'vitest';
import type { OperationView } from '#shared/domain/operation/view.ts';
import { translator } from '#shared/application/pages/translations.ts';
import { html, renderToText } from '#shared/platform/pages/index.ts';
import type { PortalView } from '../env.ts';
import { moneyPairs } from './money.ts';

const view = { language: 'en', t: translator('en') } as PortalView;
const completed: OperationView = {
  operation_id: 'o',
  type: 'payment',
  status: 'completed',
  method: 'WT_RUB_C2C',
  expected_amount: '100.00',
  actual_amount: '100.00',
  currency: 'RUB',
  recorded_currency: 'RUB',
  recorded_amount: '100.00',
  settlement_currency: 'RUB',
  settlement_amount: '97.50',
  commission_amount: '2.50',
};
const free = { settlement_amount: '100.00', commission_amount: '0.00' };
const converted = { recorded_currency: 'USD', recorded_amount: '1.30', fx_rate: '0.013' };
const none = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };

it.each<[string, Partial<OperationView>, string, string[]]>([
  ['with a commission', {}, '0.00', ['Received', 'Commission', 'To the balance']],
  ['without one', free, '0.00', ['Received']],
  [
    'in another currency',
    { ...converted, settlement_currency: 'USD' },
    '0.00',
    ['Received', 'Rate', 'Recorded', 'Commission', 'To the balance'],
  ],
  ['that came back', free, '30.00', ['Received', 'Charged back']],
  ['that never came', { status: 'expired', ...none }, '0.00', ['Received']],
  [
    'of a payout',
    { type: 'payout', settlement_amount: '102.50' },
    '0.00',
    ['Paid out', 'Commission', 'From the balance'],
  ],
])('shows no amount twice: money %s', (_, change, returned, names) => {
  const pairs = moneyPairs(view, { ...completed, ...change }, returned);
  expect(pairs.flatMap(([name, value]) => (value === undefined ? [] : name))).toEqual(names);
});

it('shows for a payout without an outcome that nothing is confirmed, not that nothing was sent (R7.15)', () => {
  const pending = { ...completed, ...none, type: 'payout', status: 'pending' } as const;
  const [[, moved] = []] = moneyPairs(view, pending, '0.00');
  expect(renderToText(html`${moved}`)).toContain('not confirmed yet');
});
