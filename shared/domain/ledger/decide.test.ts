import { describe, expect, it, test } from 'vitest';
import type { LedgerCommand } from './commands.ts';
import { decideEntry, type KnownEntry } from './decide.ts';
import type { Entry, MoneyResolution } from './events.ts';
import { fromMinor, toMinor } from './minor.ts';
import {
  currentMinus,
  entryViolations,
  moved,
  noEntry,
  positionAfter,
  violationsAfter,
  type Position,
} from './position.ts';
import { keyOfEntry } from './reference.ts';
import { isSameRequest } from './repeat.ts';

/** The ledger after these commands were posted. */
function given(...commands: LedgerCommand[]) {
  let position: Position = noEntry;
  const posted = new Map<string, KnownEntry>();
  const view = () => ({
    shopId: 's',
    currency: 'RUB',
    position,
    find: (key: string) => posted.get(key),
  });
  for (const command of commands) {
    const decision = decideEntry(view(), command);
    if (!('entry' in decision)) throw new Error(`not posted: ${JSON.stringify(command)}`);
    const revision: number = position.revision + 1;
    position = positionAfter(decision.entry, revision);
    posted.set(keyOfEntry(decision.entry), {
      kind: decision.entry.kind,
      revision,
      reserved: moved(decision.entry, 'reserved'),
    });
  }
  return {
    when: (command: LedgerCommand) => decideEntry(view(), command),
    /** The legs by account, and the position after. */
    thenEntry: (command: LedgerCommand) => {
      const decision = decideEntry(view(), command);
      if (!('entry' in decision)) throw new Error(JSON.stringify(decision));
      const { legs, balance_after, reserved_after } = decision.entry;
      return {
        ...Object.fromEntries(legs.map(({ account, amount }) => [account, amount])),
        after: [balance_after, reserved_after],
      };
    },
  };
}

const payout = { operationId: 'payout-1', reservation: 1 };
const topUp: LedgerCommand = {
  kind: 'adjustment',
  adjustmentId: 'top-up',
  amount: '100.00',
  reason: 'top-up',
};
const reserve: LedgerCommand = { kind: 'reserve', ...payout, amount: '51.00' };
const capture: LedgerCommand = {
  kind: 'capture',
  ...payout,
  reserved: '51.00',
  recorded: '50.00',
  commission: '1.00',
};
const release: LedgerCommand = { kind: 'release', ...payout };
const credit: LedgerCommand = {
  kind: 'credit',
  operationId: 'payment-1',
  recorded: '100.00',
  commission: '2.50',
};
type Suspense = LedgerCommand & { kind: 'suspense' };
const suspense = (operationType: 'payment' | 'payout', ofLegId?: string): Suspense => ({
  kind: 'suspense',
  operationId: 'payment-1',
  legId: 'leg-1',
  operationType,
  ...(ofLegId !== undefined && { ofLegId }),
  amount: '60.00',
});
const resolved = (
  operationType: 'payment' | 'payout',
  resolution: MoneyResolution,
  ofLegId?: string,
): LedgerCommand => ({
  ...suspense(operationType, ofLegId),
  kind: 'resolution',
  resolution,
  note: 'as agreed with the shop',
});

describe('ledger entry', () => {
  it('credits a payment less its commission', () => {
    expect(given().thenEntry(credit)).toEqual({
      provider: '-100.00',
      balance: '97.50',
      commission: '2.50',
      after: ['97.50', '0.00'],
    });
  });

  it('omits accounts without a change', () => {
    expect(given().thenEntry({ ...credit, commission: '0.00' })).toEqual({
      provider: '-100.00',
      balance: '100.00',
      after: ['100.00', '0.00'],
    });
  });

  it('reserves a payout: the balance decreases and reserved increases by the same amount', () => {
    expect(given(topUp).thenEntry(reserve)).toEqual({
      balance: '-51.00',
      reserved: '51.00',
      after: ['49.00', '51.00'],
    });
  });

  it('captures the reserved amount', () => {
    expect(given(topUp, reserve).thenEntry(capture)).toEqual({
      reserved: '-51.00',
      provider: '50.00',
      commission: '1.00',
      after: ['49.00', '0.00'],
    });
  });

  it('returns the rest of a partial capture', () => {
    const partial: LedgerCommand = { ...capture, recorded: '30.00', commission: '0.60' };
    expect(given(topUp, reserve).thenEntry(partial)).toEqual({
      reserved: '-51.00',
      provider: '30.00',
      commission: '0.60',
      balance: '20.40',
      after: ['69.40', '0.00'],
    });
  });

  it('takes the excess of a capture over its reservation from the balance', () => {
    const more: LedgerCommand = { ...capture, recorded: '60.00' };
    expect(given(topUp, reserve).thenEntry(more)).toMatchObject({
      balance: '-10.00',
      after: ['39.00', '0.00'],
    });
  });

  it('releases the whole reservation, with or without its amount', () => {
    const expected = { reserved: '-51.00', balance: '51.00', after: ['100.00', '0.00'] };
    expect(given(topUp, reserve).thenEntry(release)).toEqual(expected);
    expect(given(topUp, reserve).thenEntry({ ...release, reserved: '51.00' })).toEqual(expected);
  });

  it('releases nothing without a reservation', () => {
    expect(given(topUp).thenEntry(release)).toEqual({ after: ['100.00', '0.00'] });
  });

  it('adjusts the balance below zero, without a floor', () => {
    expect(given().thenEntry({ ...topUp, amount: '-10.00' })).toEqual({
      balance: '-10.00',
      external: '10.00',
      after: ['-10.00', '0.00'],
    });
  });

  it.each([
    ['late', 'payment', { provider: '-60.00', suspense: '60.00' }],
    ['late', 'payout', { provider: '60.00', suspense: '-60.00' }],
    // Returned money goes in the opposite direction of its leg.
    ['returned', 'payment', { provider: '60.00', suspense: '-60.00' }],
    ['returned', 'payout', { provider: '-60.00', suspense: '60.00' }],
  ] as const)('posts %s money of a %s outside the balance (R13.18)', (when, type, legs) => {
    const entry =
      when === 'late'
        ? given(topUp).thenEntry(suspense(type))
        : given(topUp, suspense(type)).thenEntry(suspense(type, 'leg-1'));
    expect(entry).toEqual({ ...legs, after: ['100.00', '0.00'] });
  });

  it.each([
    ['late', 'payment', 'credit_shop', { suspense: '-60.00', balance: '60.00' }, '160.00'],
    ['late', 'payment', 'return', { suspense: '-60.00', provider: '60.00' }, '100.00'],
    ['late', 'payment', 'write_off', { suspense: '-60.00', commission: '60.00' }, '100.00'],
    ['late', 'payout', 'charge_shop', { suspense: '60.00', balance: '-60.00' }, '40.00'],
    ['late', 'payout', 'return', { suspense: '60.00', provider: '-60.00' }, '100.00'],
    ['late', 'payout', 'write_off', { suspense: '60.00', commission: '-60.00' }, '100.00'],
    ['returned', 'payout', 'credit_shop', { suspense: '-60.00', balance: '60.00' }, '160.00'],
    ['returned', 'payout', 'return', { suspense: '-60.00', provider: '60.00' }, '100.00'],
    ['returned', 'payout', 'write_off', { suspense: '-60.00', commission: '60.00' }, '100.00'],
    ['returned', 'payment', 'charge_shop', { suspense: '60.00', balance: '-60.00' }, '40.00'],
    ['returned', 'payment', 'return', { suspense: '60.00', provider: '-60.00' }, '100.00'],
    ['returned', 'payment', 'write_off', { suspense: '60.00', commission: '-60.00' }, '100.00'],
  ] as const)(
    'takes %s money of a %s out of suspense: %s (R13.18)',
    (when, type, resolution, legs, balance) => {
      const ofLegId = when === 'returned' ? 'leg-0' : undefined;
      const ledger = given(topUp, suspense(type, ofLegId));
      expect(ledger.thenEntry(resolved(type, resolution, ofLegId))).toEqual({
        ...legs,
        after: [balance, '0.00'],
      });
    },
  );

  it.each([
    resolved('payment', 'charge_shop'),
    resolved('payout', 'credit_shop'),
    resolved('payment', 'credit_shop', 'leg-0'),
    resolved('payout', 'charge_shop', 'leg-0'),
  ])(
    'credits the shop only received money, charges it only for paid money (R13.18): %#',
    (command) => {
      expect(() => given(topUp).thenEntry(command)).toThrow(
        /is no resolution for money that goes (in|out)/,
      );
    },
  );
});

test('the example of docs/analysts/ledger.md is correct', () => {
  const reserved: LedgerCommand = { kind: 'reserve', ...payout, amount: '51.00' };
  const partialCapture: LedgerCommand = { ...capture, recorded: '30.00', commission: '0.60' };
  const emptyRelease: LedgerCommand = { kind: 'release', ...payout, reservation: 2 };
  const withdrawal: LedgerCommand = { ...topUp, amount: '-100.00', reason: 'withdrawal' };
  const commands = [credit, reserved, partialCapture, emptyRelease, withdrawal];
  const positions = commands.map(
    (command, at) => given(...commands.slice(0, at)).thenEntry(command)['after'],
  );
  expect(positions).toEqual([
    ['97.50', '0.00'],
    ['46.50', '51.00'],
    ['66.90', '0.00'],
    ['66.90', '0.00'],
    ['-33.10', '0.00'],
  ]);
});

describe('balance floor', () => {
  const within = (overdraftLimit?: string) =>
    given(topUp).when({ ...reserve, amount: '100.01', overdraftLimit });

  it('is the overdraft limit, and does not exist without one', () => {
    expect(within('0.00')).toEqual({ refusal: 'insufficient_funds', balance: '100.00' });
    expect(within('0.01')).toHaveProperty('entry');
    expect(within()).toHaveProperty('entry');
  });

  it('counts earlier reservations', () => {
    const second = { ...reserve, operationId: 'payout-2', overdraftLimit: '0.00' };
    expect(given(topUp, reserve).when(second)).toMatchObject({ refusal: 'insufficient_funds' });
  });

  it('does not affect a repeated reservation', () => {
    const again = { ...reserve, overdraftLimit: '0.00' };
    expect(given(reserve).when(again)).toMatchObject({ repeats: { revision: 0 } });
  });
});

describe('reservation', () => {
  it.each([
    [[topUp, reserve], reserve, 1],
    [[topUp, reserve, capture], capture, 2],
    [[topUp, reserve, release], release, 2],
    [[topUp, release], release, 1],
    [[credit], credit, 0],
    [[topUp, suspense('payment')], suspense('payment'), 1],
    [[suspense('payment'), resolved('payment', 'return')], resolved('payment', 'credit_shop'), 1],
    [[topUp], topUp, 0],
  ] as const)('is posted once, like any entry: %#', (commands, again, revision) => {
    expect(given(...commands).when(again)).toMatchObject({ repeats: { revision } });
  });

  it.each([
    ['reserved after its capture', [topUp, reserve, capture], reserve],
    ['reserved after its release', [topUp, reserve, release], reserve],
    ['reserved after a release that found none', [release], reserve],
    ['captured after its release', [topUp, reserve, release], capture],
    ['released after its capture', [topUp, reserve, capture], release],
  ] as const)('is not %s', (_what, commands, then) => {
    expect(given(...commands).when(then)).toEqual({ refusal: 'reservation_closed' });
  });

  it('is separate from that of another attempt', () => {
    expect(given(topUp, reserve, release).when({ ...reserve, reservation: 2 })).toHaveProperty(
      'entry',
    );
  });
});

describe('invalid command', () => {
  it.each<[string, LedgerCommand[], LedgerCommand]>([
    ['a negative amount', [], { ...reserve, amount: '-1.00' }],
    ['an amount with three places', [], { ...reserve, amount: '1.000' }],
    ['a commission above its base', [], { ...credit, commission: '100.01' }],
    ['a capture without a reservation', [topUp], capture],
    ['a capture of more than was reserved', [topUp, reserve], { ...capture, reserved: '60.00' }],
    ['a release of less than was reserved', [reserve], { ...release, reserved: '50.00' }],
  ])('is rejected: %s', (_what, commands, then) => {
    expect(() => given(...commands).when(then)).toThrow(/./);
  });
});

describe('entry checks', () => {
  const entry = (change: object = {}): Entry => ({
    shop_id: 's',
    currency: 'RUB',
    kind: 'credit',
    operation_id: 'o',
    legs: [
      { account: 'provider', amount: '-10.00' },
      { account: 'balance', amount: '10.00' },
    ],
    balance_after: '15.00',
    reserved_after: '0.00',
    ...change,
  });
  const before: Position = { revision: 3, balance: 500n, reserved: 0n };

  it('pass for a consistent entry (R12.2)', () => {
    expect(violationsAfter(before, entry())).toEqual([]);
  });

  it.each([
    [{ legs: [{ account: 'balance', amount: '10.00' }] }, 'the legs add up to 10.00, not to zero'],
    [{ balance_after: '15.01' }, 'balance_after is 15.01, not 15.00'],
    [{ reserved_after: '1.00' }, 'reserved_after is 1.00, not 0.00'],
    [{ reserved_after: '-1.00' }, 'reserved_after is -1.00'],
    [{ legs: [...entry().legs, { account: 'reserved', amount: '0.00' }] }, 'a leg moves nothing'],
    [
      {
        legs: [
          { account: 'balance', amount: '10.00' },
          { account: 'balance', amount: '-10.00' },
        ],
      },
      'the account balance is named 2 times',
    ],
  ])('report the violation of %j (R12.1)', (change, violation) => {
    expect(violationsAfter(before, entry(change))).toContain(violation);
  });

  it('pass for a single entry with any balance', () => {
    expect(entryViolations(entry({ balance_after: '99.00' }))).toEqual([]);
  });
});

describe('repeated command', () => {
  const entryOf = (command: LedgerCommand, ...before: LedgerCommand[]): Entry => {
    const decision = given(...before).when(command);
    if (!('entry' in decision)) throw new Error('no entry');
    return decision.entry;
  };

  it.each<[LedgerCommand, ...LedgerCommand[]]>([
    [credit],
    [topUp],
    [reserve],
    [capture, reserve],
    [release, reserve],
    [{ ...release, reserved: '51.00' }, reserve],
    [suspense('payout')],
    [suspense('payout', 'leg-0')],
    [resolved('payment', 'write_off')],
    [resolved('payment', 'write_off', 'leg-0')],
  ])('matches its entry: %j', (command, ...before) => {
    expect(isSameRequest(entryOf(command, ...before), command)).toBe(true);
  });

  it('matches an older entry that prefixed the leg of a return with its attempt', () => {
    const older = entryOf(suspense('payout', '1:leg-0'));
    expect(isSameRequest(older, suspense('payout', 'leg-0'))).toBe(true);
  });

  it.each<[LedgerCommand, object, ...LedgerCommand[]]>([
    [credit, { commission: '2.51' }],
    [topUp, { amount: '100.01' }],
    [topUp, { reason: 'another' }],
    [reserve, { amount: '51.01' }],
    [capture, { recorded: '49.00' }, reserve],
    [suspense('payout'), { operationType: 'payment' }],
    [resolved('payment', 'write_off'), { resolution: 'return' }],
    [suspense('payout'), { ofLegId: 'leg-0' }],
    [resolved('payment', 'write_off', 'leg-0'), { ofLegId: 'leg-9' }],
    [resolved('payment', 'write_off'), { note: 'another' }],
    [resolved('payment', 'write_off'), { amount: '60.01' }],
  ])('does not match the entry of %j after the change %j', (command, change, ...before) => {
    expect(isSameRequest(entryOf(command, ...before), { ...command, ...change })).toBe(false);
  });
});

it.each([
  ['-5.00', '0.00', '5.00'],
  ['-5.00', '3.00', '2.00'],
  ['-5.00', '5.00', '0.00'],
  ['5.00', '3.00', '0.00'],
])('a balance of %s with %s reserved is a debt of %s (R12.3)', (balance, reserved, debt) => {
  expect(fromMinor(currentMinus({ balance: toMinor(balance), reserved: toMinor(reserved) }))).toBe(
    debt,
  );
});

it.each(['0.00', '-0.01', '0.10', '-12.30', '999999999999999999999.99'])(
  'parses and formats %s unchanged',
  (text) => {
    expect(fromMinor(toMinor(text))).toBe(text);
  },
);

it.each(['-0.00', '1', '1.0', '01.00', '1.000', '', '1e3', '+1.00', ' 1.00'])(
  'rejects the amount "%s"',
  (text) => {
    expect(() => toMinor(text)).toThrow(/no amount/);
  },
);
