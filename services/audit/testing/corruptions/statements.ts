import {
  after,
  again,
  all,
  change,
  type Corruptions,
  corruptionsFor,
  type Data,
  drop,
  eventOf,
  legs,
  storedLeg,
  without,
} from './changes.ts';

export const statements = {
  'statement.whole': {
    ...corruptionsFor<Data>(
      [
        { lines: 3 },
        { total_in: '100.01' },
        { total_out: '50.00' },
        { closing_balance: '49.01' },
        { import: 2 },
        { digest: 'f'.repeat(64) },
      ],
      (changed) => [`an import with a wrong ${JSON.stringify(changed)}`, change('stated', changed)],
    ),
    'an import with missing lines': drop('stated-lines'),
    'an import completed twice': again('stated'),
    'an import with duplicate lines': again('stated-lines'),
    'lines after the end of their import': (events) =>
      after('stated', structuredClone(eventOf(events, 'stated-lines')))(events),
  },
  'statement.closed': {
    ...corruptionsFor(
      `fee:f2 fee: fee other:f1 duplicate_line:f1:x not_in_statement:l9
        not_in_statement@absent:l1 not_in_statement.transfer@absent:l1 not_in_statement.return:l1
        fee.transfer:f1 fee@absent:f1 fee@: ledger_differs:absent`.split(/\s+/),
      (finding_id) => [
        `the close of a finding ${finding_id} that did not exist`,
        change('fee-closed', {
          finding_id,
          ...(/^(not|ledger)_/.test(finding_id) && { finding: finding_id.split(/[.:@]/)[0] }),
        }),
      ],
    ),
    'the close of a balance finding without imported balances': all(
      without('stated', 'opening_balance'),
      without('stated', 'closing_balance'),
      change('fee-closed', { finding_id: 'balance_differs', finding: 'balance_differs' }),
    ),
    'the close of a finding with another amount than any line': change('fee-closed', {
      amount: '2.00',
    }),
    'the close of a finding on a day without an import': drop('stated'),
  },
  'statement.books': {
    'a credit of another amount than the payment counts': change('credit', {
      legs: legs({ provider: '-90.00', balance: '87.50', commission: '2.50' }),
    }),
    'a capture of another amount than the payout counts': change('capture', {
      legs: legs({ reserved: '-102.50', provider: '40.00', commission: '1.25', balance: '61.25' }),
    }),
    'a leg that the credit does not have': change('payment-leg', { leg: storedLeg('l1', '41.00') }),
  },
} satisfies Corruptions;
