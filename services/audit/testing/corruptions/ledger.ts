import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { hashBody, newId } from '#shared/platform/ids.ts';
import { otherShopId, payout, shopId } from '../valid-log.ts';
import {
  after,
  again,
  all,
  by,
  change,
  type Change,
  type Corruptions,
  corruptionsFor,
  drop,
  entry,
  eventOf,
  followedBy,
  inOperation,
  legs,
  noMoney,
  set,
  tokenFor,
  twoMinutesBefore,
} from './changes.ts';

const release = entry({
  kind: 'release',
  operation_id: payout,
  reservation: 1,
  legs: legs({ reserved: '-102.50', balance: '102.50' }),
  balance_after: '112.50',
  reserved_after: '0.00',
});

/** Refuses the payout for lack of funds. */
const refusedFor = (funds: object | undefined) =>
  all(
    drop('payout-completed', 'capture', 'payout-accepted', 'payout-reserved', 'reserve'),
    after('token', {
      stream: `shop-${shopId}`,
      type: 'ShopChanged',
      data: { settings: shopSettings({ overdraft_limits: { RUB: '0.00' } }) },
      ...twoMinutesBefore,
    }),
    after(
      'payout-requested',
      inOperation(payout, 'AttemptRefused', {
        attempt: 1,
        reason: 'insufficient_funds',
        ...(funds && {
          funds: { currency: 'RUB', balance: '1.00', limit: '0.00', need: '102.50', ...funds },
        }),
      }),
      inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'insufficient_funds' }),
    ),
  );

const causeId = '7d0c6b52-3c1e-4b8a-9a52-0e6f3d1c2b4b';

export const ledger = {
  'ledger.unbalanced': {
    'legs that do not sum to zero': change('credit', {
      legs: legs({ provider: '-100.00', balance: '97.50', commission: '2.60' }),
    }),
  },
  'ledger.legs': {
    'an account listed twice': change('adjusted', {
      legs: [...legs({ balance: '9.00' }), ...legs({ balance: '1.00', external: '-10.00' })],
    }),
    'an account that this kind of entry does not have': change('adjusted', {
      legs: legs({ balance: '10.00', suspense: '-10.00' }),
    }),
    'legs of half a unit of a currency without decimals': all(
      change('adjustment', { currency: 'JPY', amount: '0.50' }),
      set('adjusted', { stream: `ledger-${shopId}-JPY` }),
      change('adjusted', {
        currency: 'JPY',
        legs: legs({ balance: '0.50', external: '-0.50' }),
      }),
    ),
    'legs of zero': change('adjusted', { legs: legs({ balance: '0.00', external: '0.00' }) }),
  },
  'ledger.totals': {
    'wrong totals': change('capture', {
      legs: legs({ reserved: '-102.50', provider: '50.00', balance: '51.25' }),
    }),
  },
  'ledger.position': {
    'a balance that does not follow from the entry': change('credit', { balance_after: '107.51' }),
  },
  'ledger.reserved_negative': {
    'a negative reserved balance': change('capture', { reserved_after: '-0.01' }),
  },
  'ledger.floor': {
    'a reserve beyond the overdraft limit': all(
      change('resolution', { balance_after: '100.00' }),
      after('token', {
        stream: `shop-${shopId}`,
        type: 'ShopChanged',
        data: { settings: shopSettings({ overdraft_limits: { RUB: '2.49' } }) },
        // Long before the payout, which uses the settings at its start.
        atMs: Date.parse('2026-01-31T11:59:00.000Z'),
      }),
    ),
  },
  'ledger.posted_twice': {
    'a second credit': again('credit'),
    'late money posted to suspense twice': again('suspense'),
    'an adjustment posted twice': again('adjusted'),

    'a second reserve': again('reserve'),
    'late money resolved twice': again('resolution'),
  },
  'ledger.not_owed': {
    'a credit without a terminal status': drop('payment-completed'),
    'a release while the payout is open': after('payout-reserved', release),
    'an adjustment without a request': drop('adjustment', 'adjustment-noted'),
    'an entry for the return of another leg': change('returned-suspense', { of_leg_id: 'm2' }),

    'a credit of an unknown operation': change('credit', { operation_id: newId() }),
    'a reservation without a request': change('reserve', { reservation: 2 }),
    'a capture of another reservation': change('capture', { reservation: 2 }),
    'a capture of an open payout': drop('payout-completed'),
    'a release of a payout with money': change('capture', { kind: 'release' }),
    'a credit in another currency': all(
      set('credit', { stream: `ledger-${shopId}-USD` }),
      change('credit', { currency: 'USD' }),
    ),
    'a credit of another shop': all(
      set('credit', { stream: `ledger-${otherShopId}-RUB` }),
      change('credit', { shop_id: otherShopId }),
    ),
  },
  'ledger.reservation_end': {
    'a second capture': again('capture'),
    'a capture of less than was reserved': change('capture', {
      legs: legs({ reserved: '-102.00', provider: '50.00', commission: '1.25', balance: '50.75' }),
    }),
    'a reserve after its capture': (events) =>
      after('capture', structuredClone(eventOf(events, 'reserve')))(events),
  },
  'reservation.amount': {
    'a reserve of less than was requested': change('reserve', {
      legs: legs({ balance: '-100.00', reserved: '100.00' }),
    }),
  },
  'reservation.not_made': {
    'a submission without a reserve': drop('reserve'),
    'a reserve that was released before': after('reserve', release),
  },
  'reservation.refused': {
    'a refusal for lack of funds with a balance that the ledger never had': refusedFor({}),
    'a refusal for lack of funds with another overdraft limit': refusedFor({
      balance: '112.50',
      limit: '1.00',
    }),
    'a refusal for lack of another amount than was requested': refusedFor({ need: '200.00' }),
    'a refusal for lack of funds that the ledger had': refusedFor({ balance: '112.50' }),
    'a refusal for lack of funds without its figures': refusedFor(undefined),
    'a payout declined for lack of funds that no attempt asked for': all(
      drop('payout-completed', 'capture', 'payout-accepted', 'payout-reserved', 'reserve'),
      followedBy('payout-requested', 'OperationDeclined', {
        ...noMoney,
        reason: 'insufficient_funds',
      }),
    ),
  },
  'reservation.not_closed': {
    'a reservation that is never closed': all(
      drop('payout-completed', 'capture'),
      followedBy('payout-accepted', 'OperationDeclined', { ...noMoney, reason: 'provider' }),
    ),
  },
  'settlement.missing': {
    'a payment that was never credited': drop('credit'),
    'a payout that was never captured': drop('capture'),
  },
  'settlement.amounts': {
    'a credit without the commission': change('credit', {
      legs: legs({ provider: '-100.00', balance: '100.00' }),
    }),
    'a release of less than was reserved': change('capture', { kind: 'release' }),
    'a capture without the commission': change('capture', {
      legs: legs({ reserved: '-102.50', provider: '50.00', balance: '52.50' }),
    }),
  },
  'ledger.cause': {
    'an entry for a return whose cause is late money': change('returned-suspense', {
      cause: 'LateMoneyReceived',
    }),
    'a credit whose cause is the process that posted it': change('credit', {
      cause: 'service:webhooks',
    }),
    ...corruptionsFor(['capture', 'resolution', 'returned-suspense'], (name): [string, Change] => [
      `the ${name} that names another event as its cause`,
      all(set('payment-admitted', { id: causeId }), set(name, { causationId: causeId })),
    ]),
    'a capture with another provider': change('capture', { provider: 'other' }),
    'a credit with a conversion that did not happen': change('credit', {
      source: { amount: '100.00', currency: 'USD', fx_rate: '1.000000' },
    }),
  },
  'adjustment.missing': { 'an adjustment without an entry': drop('adjusted') },
  'adjustment.amounts': {
    'an adjustment of more than was requested': change('adjusted', {
      legs: legs({ balance: '11.00', external: '-11.00' }),
    }),
    'an adjustment note for another entry': change('adjustment-noted', { revision: 5 }),
    'an adjustment for another reason than the requested one': change('adjusted', {
      reason: 'a gift',
    }),
    'an adjustment in the name of another operator': all(
      after('token', tokenFor('boris', 'admin')),
      by('adjusted', { actor: 'operator:boris', tokenId: 't2' }),
    ),
    'an adjustment in a currency that does not exist': all(
      change('adjustment', { currency: 'XAU' }),
      set('adjusted', { stream: `ledger-${shopId}-XAU` }),
      change('adjusted', { currency: 'XAU' }),
    ),
    'an adjustment of a shop that does not exist': after('token', {
      stream: `adjustment-${hashBody(['shop-9', 'a-1'])}`,
      type: 'AdjustmentRequested',
      data: {
        shop_id: 'shop-9',
        adjustment_id: 'a-1',
        currency: 'RUB',
        amount: '10.00',
        reason: 'top-up',
      },
    }),
  },
} satisfies Corruptions;
