import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { shopSettings } from '#shared/domain/shop/testing/settings.ts';
import { rowOf } from '#shared/application/statements/import-statement.ts';
import type { StoredLine } from '#shared/domain/statements/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { ruleCodes, type RuleCode } from '#shared/domain/audit/rules.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { auditLog } from './testing/audit-log.ts';
import {
  auditorKeys,
  erasedKey,
  storedCallback,
  retainedKey,
  otherSecret,
} from './testing/stored-reports.ts';
import { addedKey, signLog } from './testing/checkpoints.ts';
import { createLog, keyOf, type NewLogEvent } from './testing/log.ts';
import { testRoute } from './testing/shops.ts';
import {
  approved,
  otherShopId,
  payment,
  payout,
  reviewed,
  shopId,
  sealedWith,
  validLog,
  switchOf,
  type NamedEvents,
} from './testing/valid-log.ts';

type Change = (events: NamedEvents) => void;
/** A violation: a change of the events before they are written, or of the written log. */
type Plant = Change | { written(log: RawEvent[]): void };
type LogRule = Exclude<RuleCode, `${'webhook' | 'read_model' | 'checkpoint'}.${string}`>;

type Data = Record<string, unknown>;
const eventOf = (events: NamedEvents, name: string): NewLogEvent => {
  const event = events.get(name);
  if (!event) throw new Error(`no event ${name}`);
  return event;
};
const dataOf = (events: NamedEvents, name: string) => eventOf(events, name).data as Data;
const change = (name: string, more: Data) => (events: NamedEvents) =>
  void Object.assign(dataOf(events, name), more);
const without = (name: string, field: string) => (events: NamedEvents) =>
  void delete dataOf(events, name)[field];
/** Changes fields of an event other than those in its data. */
const set = (name: string, fields: object) => (events: NamedEvents) =>
  void Object.assign(eventOf(events, name), fields);
/** Moves the erasure of a client before the terminal status of its operation. */
const erasedFirst = (events: NamedEvents): void => {
  const request = events.get('erasure-requested') as NewLogEvent;
  drop('erasure-requested')(events);
  after('erased-key', request)(events);
};
type Caller = Pick<NewLogEvent, 'actor' | 'tokenId' | 'keyId' | 'linkIssuers'>;
const by = (name: string, caller: Caller) => set(name, caller);
/** Sets the provider report that an event is recorded with. */
const withReport = (name: string, report: object | undefined) => set(name, { report });
/** Attributes an event to another caller, without a provider report. */
const byWithoutReport = (name: string, caller: Caller) =>
  all(by(name, caller), withReport(name, undefined));
const drop =
  (...names: string[]) =>
  (events: NamedEvents) => {
    for (const name of names) if (!events.delete(name)) throw new Error(`no event ${name}`);
  };
/** Puts events after the named one. */
const after =
  (name: string, ...more: NewLogEvent[]) =>
  (events: NamedEvents) => {
    const all = [...events];
    const at = all.findIndex(([each]) => each === name);
    if (at < 0) throw new Error(`no event ${name}`);
    events.clear();
    for (const [index, [each, event]] of all.entries()) {
      events.set(each, event);
      if (index === at)
        for (const [number, added] of more.entries()) events.set(`${name}+${number}`, added);
    }
  };
/** Puts an event of the same stream after the named one. */
const followedBy =
  (name: string, type: string, data: object): Change =>
  (events) =>
    after(name, { stream: eventOf(events, name).stream, type, data })(events);
const again = (name: string) => (events: NamedEvents) =>
  after(name, structuredClone(events.get(name) as NewLogEvent))(events);
const all =
  (...changes: Change[]): Change =>
  (events) => {
    for (const each of changes) each(events);
  };
/** A plant for each value. */
const plantsFor = <Value>(values: readonly Value[], plantOf: (value: Value) => [string, Plant]) =>
  Object.fromEntries(values.map(plantOf));
const otherProvider = { actor: 'provider:other' };
const processor = { actor: 'service:processor' };
const adminService = { actor: 'service:admin' };
const payer = { actor: 'payer:payment-page' };
const anna = { actor: 'member:anna' };
const firstAdmin = { actor: 'operator:admin', tokenId: 'first' };
const unnamedAdmin = { actor: 'operator:admin' };
const ownKey = { actor: `merchant:${shopId}`, keyId: keyOf(shopId) };
/** Another admin token, with the id `t2`. */
const tokenFor = (name: string, role: string) => ({
  stream: 'operators',
  type: 'AdminTokenIssued',
  data: { token_id: 't2', token_hash: 'h', name, role, hint: 'abcd' },
});
const tokenRevoked = (token_id: string) => ({
  stream: 'operators',
  type: 'AdminTokenRevoked',
  data: { token_id },
});
const aDayBefore = { atMs: Date.parse('2026-01-30T12:00:00.000Z') };
const twoMinutesBefore = { atMs: Date.parse('2026-01-31T11:58:00.000Z') };
/** Removes a member of the shop long before the other events. */
const removed = (member_id: string) =>
  after('vera-in', {
    stream: `members-${shopId}`,
    actor: 'operator:admin',
    tokenId: 'first',
    type: 'MemberRemoved',
    data: { member_id },
    ...aDayBefore,
  });
/** Another account with the provider; `auditorKeys` open its secret: `otherSecret`. */
const accountAdded = {
  stream: 'directory',
  type: 'ProviderAccountAdded',
  data: {
    provider: 'sandbox',
    account: 'second',
    label: 'Second',
    credentials: { master_key_id: 'm', sealed: 'v3.sealed', fingerprint: 'f' },
  },
};
const changeRoute = (name: string, more: Data) => (events: NamedEvents) =>
  void Object.assign(dataOf(events, name)['route'] as Data, more);
/** Adds such a route for payments to the shops. */
const hasRoute = (more: Data) => (events: NamedEvents) => {
  for (const { type, data } of events.values())
    if (type === 'RoutesReplaced')
      (data as { routes: object[] }).routes.push(testRoute('payment', more));
};
/** Moves the payment to that account. */
const atAccount = changeRoute('payment-started', { account: 'second' });
const legs = (amounts: Record<string, string>) =>
  Object.entries(amounts).map(([account, amount]) => ({ account, amount }));
const inOperation = (id: string, type: string, data: object): NewLogEvent => ({
  stream: `operation-${id}`,
  type,
  data,
});
const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
const dear = { percent: '90', fixed: '0.00' };
const noMoney = { actual_amount: '0.00', settlement_amount: '0.00', commission_amount: '0.00' };
const entry = (data: Data): NewLogEvent => ({
  stream: `ledger-${shopId}-RUB`,
  type: 'EntryPosted',
  data: { shop_id: shopId, currency: 'RUB', ...data },
});
const request = { client_id: 'client', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' };
const completed_at = '2026-01-31T12:01:00.000Z';
const signedLeg = (leg_id: string, amount: string) => ({ leg_id, amount, completed_at });
const storedLeg = (leg_id: string, amount: string) => ({
  leg_id,
  amount,
  completed_at,
  file: true,
});
const legReturn = {
  attempt: 1,
  returned: { ...signedLeg('b', '50.00'), of_leg_id: 'l1' },
  leg: storedLeg('l1', '0.00'),
};
/** A later correction of late or returned money to zero, from the counted amount. */
const correctedToZero =
  (name: string, counted: { leg_id: string; counted_amount: string }): Change =>
  (events) => {
    const event = eventOf(events, name);
    const { leg: _, kind: __, beyond: ___, ...about } = event.data as Data;
    const data = { ...about, ...counted, reported_amount: '0.00', report_version: 9 };
    after(name, { ...event, type: 'LateLegCorrected', data })(events);
  };
const correction = (legId: string, was: string, version: number) => ({
  attempt: 1,
  leg: storedLeg(legId, '1.00'),
  was,
  report_version: version,
});
const signedReport = {
  operation_id: payment,
  attempt: 1,
  status: 'open',
  legs: [signedLeg('l1', '40.00')],
};
/** Alters the stored callback of the payment's leg. */
const alteredCallback = (altered: object) =>
  withReport('payment-leg', { ...storedCallback(payment, signedReport), ...altered });
/** Makes the reviewed payment convert, with an acceptance by a signed callback. */
const acceptedBySignature = (said: Data) =>
  all(
    hasRoute({ requires_receipt: true, conversion }),
    changeRoute('reviewed-started', { conversion }),
    change('reviewed-accepted', {
      fx_rate: '0.012500',
      expires_at: '2026-01-31T12:30:00.000Z',
      ...said,
    }),
    by('reviewed-accepted', sandbox),
    withReport(
      'reviewed-accepted',
      storedCallback(reviewed, {
        operation_id: reviewed,
        attempt: 1,
        acceptance: 'accepted',
        reference: 'ref',
        fx_rate: '0.0125',
        expires_at: '2026-01-31T12:30:00Z',
        status: 'open',
        legs: [],
      }),
    ),
  );
const sandbox = { actor: 'provider:sandbox' };
const aboutLate = {
  operation_id: payment,
  shop_id: shopId,
  merchant_id: 'merchant-1',
  attempt: 1,
  provider: 'sandbox',
};
const lateStatus = (operation_status: string) => ({
  reported_status: 'declined',
  operation_status,
});
/** An event of the payment's late stream. */
const lateEvent = (type: string, data: object): NewLogEvent => ({
  stream: `late-${payment}`,
  type,
  data: { ...aboutLate, ...data },
});
const lateReport = (amount: string) => ({
  ...signedReport,
  status: 'completed',
  legs: [signedLeg('l1', '40.00'), signedLeg('l2', '60.00'), signedLeg('l3', amount)],
});
/** Makes the reviewed payment expire, at a provider that numbers its reports. */
const expiredAtOnce = (expires_at: string | undefined) =>
  all(
    change('payment-leg', { report_version: 1 }),
    change('reviewed-accepted', { expires_at }),
    followedBy('reviewed-accepted', 'OperationExpired', noMoney),
    drop('uploaded', 'checked', 'decided', 'reviewed-declined', 'reviewed-withdrawn'),
  );
/** Dates the money of the named event a day earlier than its provider signed. */
const signedOnAnotherDay =
  (name: string) =>
  (events: NamedEvents): void => {
    const { stream, data } = events.get(name) as NewLogEvent & { data: Data };
    const id = stream.slice(stream.indexOf('-') + 1);
    const [leg] = (data['legs'] ?? [data['leg']]) as [Data];
    const signed = { ...leg, of_leg_id: data['of_leg_id'] };
    const signedMoney = name === 'returned' ? { returns: [signed] } : { legs: [signed] };
    const attempt = { operation_id: id, attempt: 1, status: 'partially_completed', legs: [] };
    by(name, sandbox)(events);
    withReport(name, storedCallback(id, { ...attempt, ...signedMoney }))(events);
    Object.assign(leg, { completed_at: '2026-01-30T12:01:00.000Z' });
  };
const find = (log: RawEvent[], type: string): RawEvent =>
  log.find((event) => event.type === type) as RawEvent;
/** Changes an event of the written log. */
const written = (type: string, changed: Partial<RawEvent>) => ({
  written: (log: RawEvent[]) => void Object.assign(find(log, type), changed),
});
const rootSigned = (how: Parameters<typeof signLog>[2]) => ({
  written: (log: RawEvent[]) => signLog(log, shopId, how),
});

const plants: Readonly<Record<LogRule, Readonly<Record<string, Plant>>>> = {
  'log.position_order': {
    'an event out of position order': written('ShopCreated', { position: 1 }),
  },
  'log.revision_gap': { 'a gap in the revisions': written('LegReceived', { revision: 9 }) },
  'log.duplicate_event_id': {
    'a duplicate event id': {
      written: (log) => void (find(log, 'LegReceived').id = find(log, 'ShopCreated').id),
    },
  },
  'log.undecodable': {
    'data that does not match its schema': change('payment-leg', { leg: { leg_id: 7 } }),
    'an unknown event type': followedBy('payment-leg', 'OperationBlessed', {}),
    'invalid JSON': written('LegReceived', { data: Buffer.from('{') }),
    'an unknown kind of stream': after('token', { stream: 'secrets', type: 'Unknown', data: {} }),
  },
  'log.newer_version': {
    'an admission with a future schema version': set('payment-admitted', { schemaVersion: 99 }),
  },
  'log.metadata': {
    'metadata without an actor': written('LegReceived', {
      metadata: Buffer.from('{"correlation_id":"c","schema_version":1}'),
    }),
    'a callback attributed to a service': by('payment-leg', processor),
    'a callback with an additional signature': alteredCallback({ signature: 'v1,AAAA' }),
    'a callback stored with an event of no operation': all(
      by('credit', sandbox),
      withReport('credit', storedCallback(payment, signedReport)),
    ),
  },
  'log.wrong_stream': {
    'the admission of another operation': change('payment-admitted', { operation_id: payout }),
    'an entry of another shop': change('adjusted', { shop_id: 'shop-2' }),
    'a payout file in the stream of another': change('batch-checked', { batch_id: 'batch-2' }),
  },
  'log.truncated': {
    'a ledger stream with $maxAge': after('token', {
      stream: `$$ledger-${shopId}-RUB`,
      type: '$metadata',
      data: { $maxAge: 60 },
    }),
  },
  'operation.admission_first': {
    'an attempt without an admission': after(
      'token',
      inOperation(newId(), 'AttemptWithdrawn', { attempt: 1 }),
    ),
    'a second admission': again('payment-admitted'),
  },
  'operation.unknown_shop': {
    'an operation of an unknown shop': change('payment-admitted', { shop_id: 'shop-9' }),
  },
  'operation.id': {
    'an operation id that does not match its merchant_operation_id': change('payment-admitted', {
      merchant_operation_id: 'order-9',
    }),
  },
  'operation.illegal_transition': {
    'money for an attempt that was not accepted': change('payment-leg', { attempt: 2 }),
    'an acceptance without an attempt': drop('payment-started'),
    'a review decision not followed by a terminal status': followedBy(
      'decided',
      'ManualCheckStarted',
      { receipt_id: 'u1' },
    ),
    'a manual close not followed by a terminal status': followedBy('payment-leg', 'CloseDecided', {
      note: 'x',
    }),
    'a decline by a close that was not decided': change('reviewed-declined', { reason: 'close' }),
    'an acceptance at an FX rate that settles nothing': all(
      changeRoute('payment-started', { conversion }),
      change('payment-accepted', { fx_rate: '0.000049' }),
    ),
    'a leg corrected from another amount': followedBy(
      'payment-leg',
      'LegCorrected',
      correction('l1', '41.00', 2),
    ),
    'an older report applied after a newer one': after(
      'payment-leg',
      inOperation(payment, 'LegCorrected', correction('l1', '40.00', 3)),
      inOperation(payment, 'LegCorrected', correction('l1', '1.00', 2)),
    ),
    'a payment accepted without requisites': without('payment-accepted', 'requisites'),
    'an attempt withdrawn after an approval': followedBy('approved-completed', 'AttemptWithdrawn', {
      attempt: 1,
    }),
    'a return that reduces its leg by another amount': followedBy('payment-leg', 'LegReturned', {
      ...legReturn,
      counted: '39.00',
    }),
  },
  'operation.second_end': {
    'a second terminal status': followedBy('payment-completed', 'OperationExpired', noMoney),
  },
  'operation.event_after_end': {
    'money after the terminal status': followedBy('payment-completed', 'LegReceived', {
      attempt: 1,
      leg: { ...storedLeg('l9', '1.00'), file: false },
    }),
  },
  'operation.requisites_after_cancel': {
    'requisites after an early cancel': followedBy('cancelled', 'AttemptAccepted', {
      attempt: 1,
      provider_reference: 'ref',
      requisites: { number: '2200' },
      confirmation_required: false,
    }),
  },
  'operation.payout_cancelled': {
    'a cancelled payout': all(
      drop('payout-completed', 'capture'),
      followedBy('payout-accepted', 'OperationCancelled', { ...noMoney, reason: '' }),
    ),
  },
  'operation.payout_declined_unknown': {
    'a payout declined after a timeout': all(
      drop('payout-completed', 'capture', 'payout-accepted'),
      followedBy('payout-reserved', 'OperationDeclined', {
        ...noMoney,
        reason: 'acceptance_timeout',
      }),
    ),
  },
  'operation.legs': {
    'legs with too small a sum': drop('payment-leg'),
    'money returned before the terminal status that still counts': followedBy(
      'payment-leg',
      'LegReturned',
      {
        ...legReturn,
        returned: { ...legReturn.returned, amount: '40.00' },
        counted: '40.00',
      },
    ),
  },
  'operation.end_kind': {
    'completed with too small an amount': change('payment-admitted', {
      request: { client_id: 'c', method: 'WT_RUB_C2C', amount: '100.01', currency: 'RUB' },
    }),
  },
  'operation.figures': {
    'a commission that is rounded down': change('payment-completed', {
      commission_amount: '2.49',
      settlement_amount: '97.51',
    }),
    'a recorded amount without money': change('cancelled', { recorded_amount: '0.00' }),
  },
  'operation.reserved_amount': {
    'a reservation request without the commission': change('payout-requested', {
      amount: '100.00',
    }),
    'an attempt at 90 % with funds reserved for 2.50 %': all(
      hasRoute({ type: 'payout', commission: dear }),
      after(
        'payout-reserved',
        inOperation(payout, 'AttemptRefused', { attempt: 1, reason: 'limit' }),
        inOperation(payout, 'AttemptStarted', {
          attempt: 2,
          route: testRoute('payout', { commission: dear }),
        }),
        inOperation(payout, 'FundsReserved', { reservation: 1, attempt: 2 }),
      ),
      change('payout-accepted', { attempt: 2 }),
      // At 90 %, but within the reserved amount.
      withReport('payout-completed', undefined),
      by('payout-completed', processor),
      change('payout-completed', { settlement_amount: '95.00', commission_amount: '45.00' }),
      change('capture', {
        legs: legs({
          reserved: '-102.50',
          provider: '50.00',
          commission: '45.00',
          balance: '7.50',
        }),
        balance_after: '17.50',
      }),
    ),
  },
  'operation.expired_early': {
    'an early expiry with a window that ends in 2031, at a provider that numbers its reports':
      expiredAtOnce('2031-01-31T12:30:00.000Z'),
    'an early expiry with no window, at a provider that numbers its reports':
      expiredAtOnce(undefined),
  },
  'operation.overdue': {
    'a create that is never finished': drop(
      'payment-completed',
      'payment-accepted',
      'payment-leg',
      'credit',
    ),
    'a payment still open long after its expiry': all(
      drop('payment-completed', 'payment-leg'),
      change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' }),
    ),
  },
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
  },
  'ledger.not_owed': {
    'a credit without a terminal status': drop('payment-completed'),
    'a release while the payout is open': after(
      'payout-reserved',
      entry({
        kind: 'release',
        operation_id: payout,
        reservation: 1,
        legs: legs({ reserved: '-102.50', balance: '102.50' }),
        balance_after: '112.50',
        reserved_after: '0.00',
      }),
    ),
    'an adjustment without a request': drop('adjustment', 'adjustment-noted'),
    'an entry for the return of another leg': change('returned-suspense', { of_leg_id: 'm2' }),
  },
  'ledger.reservation_end': {
    'a second capture': again('capture'),
    'a capture of less than was reserved': change('capture', {
      legs: legs({ reserved: '-102.00', provider: '50.00', commission: '1.25', balance: '50.75' }),
    }),
  },
  'reservation.amount': {
    'a reserve of less than was requested': change('reserve', {
      legs: legs({ balance: '-100.00', reserved: '100.00' }),
    }),
  },
  'reservation.not_made': { 'a submission without a reserve': drop('reserve') },
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
  },
  'late.unknown': {
    'late money of an unknown attempt': change('late', { attempt: 7 }),
    'a correction of late money from another amount': correctedToZero('late', {
      leg_id: 'l3',
      counted_amount: '6.00',
    }),
    'a correction of a return from another amount': correctedToZero('returned', {
      leg_id: 'b1',
      counted_amount: '60.00',
    }),
  },
  'late.open': {
    ...plantsFor(['LateMoneyReceived', 'ApprovedMoneyConfirmed', 'LateStatusReported'], (type) => [
      `${type} of the accepted attempt while the payment is open`,
      after(
        'payment-leg',
        lateEvent(type, {
          ...(type === 'LateStatusReported'
            ? lateStatus('pending')
            : { currency: 'RUB', leg: storedLeg('early', '60.00') }),
        }),
      ),
    ]),
  },
  'late.twice': {
    'late money twice': again('late'),
    'a return with a duplicate id': again('returned'),
  },
  'late.approved': {
    'approved money recorded as late': set('confirmed', { type: 'LateMoneyReceived' }),
    'more money confirmed than approved': change('confirmed-rest', {
      leg: storedLeg('m2', '40.01'),
    }),
  },
  'late.overcharge': {
    'an overcharge of a payout that cost the agreed amount': after('capture', {
      stream: `late-${payout}`,
      type: 'PayoutOvercharged',
      data: {
        ...aboutLate,
        operation_id: payout,
        currency: 'RUB',
        agreed_amount: '1.00',
        charged_amount: '2.00',
      },
    }),
  },
  'late.returned': {
    'a return beyond the received money that is not marked as such': without('returned', 'beyond'),
    'a return marked with too large an excess': all(
      set('approved-completed', twoMinutesBefore),
      change('returned', { beyond: '10.01' }),
    ),
    'a wrong total of returned money': change('returned', { total: '60.00' }),
    'a return without a total, long after the terminal status': all(
      set('approved-completed', twoMinutesBefore),
      without('returned', 'total'),
    ),
    'a return of a payment with the wrong kind': change('returned', { kind: 'returned' }),
    'an excess return before the terminal status without a late event': followedBy(
      'payment-leg',
      'LegReturned',
      { ...legReturn, counted: '40.00' },
    ),
  },
  'late.suspense_missing': {
    'returned money that is not in suspense': drop('returned-suspense', 'returned-resolution'),
    'late money that is not in suspense': drop('suspense', 'resolution'),
  },
  'late.suspense_amounts': {
    'returned money posted to suspense with the wrong sign': change('returned-suspense', {
      legs: legs({ provider: '-70.00', suspense: '70.00' }),
    }),
    'less in suspense than was received': change('suspense', {
      legs: legs({ provider: '-4.00', suspense: '4.00' }),
    }),
  },
  'late.resolution': {
    'a chargeback credited to the shop': change('returned-resolution', {
      resolution: 'credit_shop',
    }),
    'late money of a payment charged to its shop': change('resolution', {
      resolution: 'charge_shop',
    }),
    'a resolution without suspense': drop('suspense'),
  },
  'ledger.cause': {
    'an entry for a return whose cause is late money': change('returned-suspense', {
      cause: 'LateMoneyReceived',
    }),
    'a credit whose cause is the process that posted it': change('credit', {
      cause: 'service:webhooks',
    }),
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
  },
  'receipts.not_owed': {
    'receipts of an open operation': drop('payment-completed'),
    'duplicate receipts': again('evidence'),
    'receipts where the legs are the evidence': change('payment-completed', { evidence: 'legs' }),
  },
  'receipts.not_shown': {
    'an unreported leg as evidence of an approval': (events) => {
      for (const leg of dataOf(events, 'approved-completed')['legs'] as Data[])
        delete leg['synthetic'];
    },
  },
  'receipts.legs': {
    'a leg without a receipt': (events) =>
      void (dataOf(events, 'evidence')['items'] as unknown[]).pop(),
  },
  'receipts.status': {
    'a partial status without a reason': change('evidence', { status: 'partial' }),
  },
  'setup.order': {
    'the revocation of an unknown token': after('token', tokenRevoked('x')),
    'a shop without its merchant': drop('setup-1'),
    'a member added twice': again('vera-added'),
  },
  'routing.route': {
    ...plantsFor<Data>(
      [
        { commission: { percent: '90', fixed: '0.00' } },
        { commission: { percent: '2.50', fixed: '1.00' } },
        { provider: 'other' },
        { max_amount: '100.00' },
        { options: { fx_rate: '2' } },
      ],
      (changed) => [
        `an attempt with ${JSON.stringify(changed)}, which no route of the shop has`,
        changeRoute('reviewed-started', changed),
      ],
    ),
    'a conversion that no route of the shop has': all(
      changeRoute('reviewed-started', { conversion }),
      change('reviewed-accepted', { fx_rate: '0.012500' }),
    ),
    'an attempt by a route removed long before': after('members-key', {
      stream: `shop-${shopId}`,
      type: 'RoutesReplaced',
      data: { routes: [] },
      ...twoMinutesBefore,
    }),
  },
  'routing.daily_limit': {
    ...plantsFor<Data>([{ daily_count: 1 }, { daily_amount: '199.99' }], (limit) => [
      `a second attempt a minute later on a route with ${JSON.stringify(limit)}`,
      all(
        hasRoute({ requires_receipt: true, ...limit }),
        changeRoute('reviewed-started', limit),
        set('reviewed-started', { atMs: Date.parse('2026-01-31T12:01:30.000Z') }),
      ),
    ]),
  },
  'routing.provider_off': {
    'an attempt with a provider switched off long before': after('switched-on', {
      ...switchOf('ProviderSwitchedOff'),
      atMs: Date.parse('2026-01-31T11:59:00.000Z'),
    }),
  },
  'routing.account_off': { 'an attempt with an unknown account': atAccount },
  'authority.role': {
    'a provider switched off by an unknown operator': by('switched-off', {
      actor: 'operator:absent',
    }),
    'a token issued by a service': by('token', adminService),
    'a token issued by an unknown operator': by('token', { actor: 'operator:mallory' }),
    'a manual close by an operator': after('payment-leg', tokenFor('oleg', 'operator'), {
      ...inOperation(payment, 'CloseDecided', { note: 'x' }),
      actor: 'operator:oleg',
      tokenId: 't2',
    }),
    'a statement requested by an auditor': all(
      after('payment-leg', tokenFor('anna', 'auditor')),
      by('stated', { actor: 'operator:anna', tokenId: 't2' }),
    ),
    'a token used under the name of another operator': by('decided', {
      actor: 'operator:admin',
      tokenId: 't',
    }),
    'a receipt decision with a token revoked long before': all(
      by('decided', { actor: 'operator:n', tokenId: 't' }),
      after('token', { ...tokenRevoked('t'), ...aDayBefore }),
    ),
    'an operation admitted by an operator': by('payment-admitted', firstAdmin),
  },
  'personal.in_clear': {
    requisites: change('payment-accepted', { requisites: { number: '2200' } }),
    'a row of a payout file': change('batch-rows', {
      rows: [{ ...request, merchant_operation_id: 'order-9', sealed: '2200' }],
    }),
    'a client IP address': change('payment-admitted', {
      request: { ...request, client_ip: '192.0.2.1' },
    }),
    metadata: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: retainedKey, hmac: 'hmac' } },
      request: { ...request, metadata: { opened: { 'order.id': '1042' } } },
    }),
    'a value that only looks sealed': change('payment-admitted', {
      request: { ...request, client_ip: { sealed: '192.0.2.1' } },
    }),
    'an unkeyed hash of the whole body': change('payment-admitted', {
      body_hash: { whole: 'f0e4c2f7' },
    }),
    'an unkeyed hash that covers a client IP address': change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7' },
      request: { ...request, client_ip: { sealed: sealedWith(retainedKey) } },
    }),
    'a callback': alteredCallback({ sealed: JSON.stringify(signedReport) }),
  },
  'authority.actor': {
    'a payout file uploaded by a service': by('batch-checked', processor),
    'money reported by the merchant': byWithoutReport('payment-leg', ownKey),
    'a terminal status set by the merchant': byWithoutReport('payment-completed', ownKey),
    'money reported by another provider': byWithoutReport('payment-leg', otherProvider),
    'a terminal status set by another provider': byWithoutReport('payout-completed', otherProvider),
    'late money reported by another provider': byWithoutReport('late', otherProvider),
    'a credit posted by the merchant': byWithoutReport('credit', ownKey),
    'a credit posted by the provider': byWithoutReport('credit', sandbox),
    'suspense posted by the provider': byWithoutReport('suspense', sandbox),
    'an adjustment posted by a service': byWithoutReport('adjusted', processor),
    'an erasure completed by a service': byWithoutReport('erasure-erased', adminService),
    'a cancel by a service': byWithoutReport('cancelled', processor),
    'an admission by a service': byWithoutReport('payment-admitted', processor),
    'a reserve posted by the payer': byWithoutReport('reserve', payer),
    'a payout declined by a provider that was never called': after('payout-requested', {
      ...inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      actor: 'provider:other',
    }),
    'a statement imported by a merchant': by('stated', { actor: 'merchant:m' }),
    'an audit recorded by a payer': by('audited', payer),
    'a declined review by a payer': by('reviewed-declined', payer),
  },
  'personal.key_missing': {
    'a body hash with an unknown key': change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: 'c'.repeat(22), hmac: 'ab' } },
    }),
    'data sealed with an unknown key': drop('key-in-use'),
    'a missing key that was not destroyed': drop(
      'erased-key',
      'erasure-retired',
      'erasure-destroyed',
    ),
    'a callback sealed with an unknown key': alteredCallback({
      sealed: sealedWith('c'.repeat(22)),
    }),
  },
  'personal.key_destroyed': {
    'a key destroyed without a request': drop('erasure-requested'),
    'a key destroyed that was not the requested one': after('erasure-erased', {
      stream: `personal-key-${retainedKey}`,
      type: '$streamDeleted',
      data: null,
    }),
  },
  'personal.erasure': {
    'an erasure recorded as complete while the key exists': drop('erasure-destroyed'),
    'an erasure that is never completed': drop('erasure-erased'),
    'an erasure that no operator requested': by('erasure-requested', adminService),
  },
  'authority.token': {
    'an adjustment posted by an operator without a token id': by('adjusted', unnamedAdmin),
    'an operator decision without a token id': by('decided', unnamedAdmin),
    'an adjustment without a token id': by('adjustment', unnamedAdmin),
  },
  'authority.key': {
    'an API key of another shop': by('payment-admitted', {
      actor: `merchant:${shopId}`,
      keyId: keyOf(otherShopId),
    }),
    'another shop with its own API key': by('payment-started', {
      actor: `merchant:${otherShopId}`,
      keyId: keyOf(otherShopId),
    }),
    'an unknown API key': by('payment-admitted', { actor: `merchant:${shopId}`, keyId: 'k' }),
    'no API key': by('payment-admitted', { actor: `merchant:${shopId}` }),
    'no API key on an early cancel': by('cancelled-first', { actor: `merchant:${shopId}` }),
    'an API key revoked long before': after('token', {
      stream: `shop-${shopId}`,
      type: 'ApiKeyRevoked',
      data: { key_id: keyOf(shopId) },
      ...aDayBefore,
    }),
  },
  'authority.payer': { 'a payer on another page': by('uploaded', { actor: 'payer:elsewhere' }) },
  'authority.member': {
    'an API key issued by a viewer': by('members-key', { actor: 'member:vera' }),
    'an API key issued by a non-member': by('members-key', { actor: 'member:absent' }),
    'an API key of another shop issued by a member': after('members-key', {
      stream: `shop-${otherShopId}`,
      actor: 'member:anna',
      type: 'ApiKeyIssued',
      data: { key_id: 'key-of-other', key_hash: 'h', label: 'l', hint: 'abcd' },
    }),
    'an operator command by a member': by('adjustment', anna),
    'a command by a member removed long before': removed('anna'),
    'a command in a session whose link was issued by a removed member': all(
      by('members-key', { linkIssuers: ['member:vera'] }),
      removed('vera'),
    ),
    'a sign-in that names another link issuer': by('vera-in', { linkIssuers: ['operator:admin'] }),
    'a sign-in link used twice': again('vera-in'),
    'a sign-in link used by another member': change('vera-in', { link_hash: 'link-of-anna' }),
  },
  'authority.second_member': {
    'a file confirmed by the member who uploaded it': by('batch-checked', anna),
    'a file confirmed with an API key': set('batch-confirmed', {
      ...ownKey,
      linkIssuers: undefined,
    }),
    'a file confirmed by the issuer of the key that uploaded it': by('batch-checked', {
      ...ownKey,
      keyId: 'key-of-anna',
    }),
    'a file confirmed in a session whose link its uploader issued': all(
      by('batch-checked', anna),
      by('batch-confirmed', { actor: 'member:boris', linkIssuers: ['member:anna'] }),
    ),
    'a file that was never uploaded': drop('batch-checked'),
  },
  'authority.amount': {
    'an approval by an operator of more than was expected': all(
      after('token', tokenFor('oleg', 'operator')),
      by('approved-decided', { actor: 'operator:oleg', tokenId: 't2' }),
      change('approved-decided', { actual_amount: '999999999999.99' }),
    ),
  },
  'operation.decided': {
    'more money counted than an operator approved': change('approved-decided', {
      actual_amount: '10.00',
    }),
    'an approval without an amount': without('approved-decided', 'actual_amount'),
    'unreported money without a review': (events) => {
      for (const leg of dataOf(events, 'payment-completed')['legs'] as Data[])
        leg['synthetic'] = true;
    },
    'unreported money while the payment is open': change('payment-leg', {
      leg: { ...storedLeg('l1', '40.00'), synthetic: true },
    }),
    'a declined review that counts money': set('reviewed-declined', {
      type: 'OperationPartiallyCompleted',
      data: {
        actual_amount: '60.00',
        recorded_amount: '60.00',
        settlement_amount: '58.50',
        commission_amount: '1.50',
        legs: [storedLeg('d1', '60.00')],
      },
    }),
  },
  'authority.decision': {
    'a completion by an operator without a decision': by('payment-completed', firstAdmin),
    'a terminal status by another operator than the one who decided': by('approved-completed', {
      actor: 'operator:n',
      tokenId: 't',
    }),
  },
  'report.signature': {
    'a callback other than the one that the provider signed': withReport(
      'payment-leg',
      storedCallback(payment, signedReport, {
        said: { ...signedReport, legs: [signedLeg('l1', '4.00')] },
      }),
    ),
    'a callback signed by another account with the provider': all(
      after('token', accountAdded),
      withReport('payment-leg', storedCallback(payment, signedReport, { secret: otherSecret })),
    ),
    'a callback signed by the default account for an attempt at another': all(
      after('token', accountAdded),
      atAccount,
    ),
    'a stored callback that was altered': (events) => {
      const kept = storedCallback(payment, signedReport);
      const end = kept.sealed.endsWith('AA') ? 'BB' : 'AA';
      withReport('payment-leg', { ...kept, sealed: `${kept.sealed.slice(0, -2)}${end}` })(events);
    },
    'a callback stored with another timestamp': alteredCallback({ timestamp: '1769860000' }),
    'a callback of another operation': withReport(
      'payment-leg',
      storedCallback(payment, { ...signedReport, operation_id: payout }),
    ),
    'a callback sealed for another operation': withReport(
      'payment-leg',
      storedCallback(payout, signedReport),
    ),
    'a leg of another amount than the provider signed': change('payment-leg', {
      leg: storedLeg('l1', '41.00'),
    }),
    'a terminal status with a leg that the provider did not sign': all(
      by('payment-completed', sandbox),
      withReport('payment-completed', storedCallback(payment, signedReport)),
    ),
    'late money of another amount than the provider signed': all(
      by('late', sandbox),
      withReport('late', storedCallback(payment, lateReport('0.01'))),
    ),
    'a late status that the provider did not sign': after('late', {
      ...lateEvent('LateStatusReported', lateStatus('completed')),
      ...sandbox,
      report: storedCallback(payment, lateReport('5.00')),
    }),
    'a late correction that the provider did not sign': after('late', {
      ...lateEvent('LateLegCorrected', {
        currency: 'RUB',
        leg_id: 'l3',
        counted_amount: '5.00',
        reported_amount: '4.00',
        report_version: 2,
      }),
      ...sandbox,
      report: storedCallback(payment, lateReport('5.00')),
    }),
    'a correction that the provider did not sign': after('payment-leg', {
      ...inOperation(payment, 'LegCorrected', correction('l1', '40.00', 2)),
      ...sandbox,
      report: storedCallback(payment, signedReport),
    }),
    'a partial completion where the provider signed an open status': withReport(
      'payout-completed',
      storedCallback(payout, {
        ...signedReport,
        operation_id: payout,
        legs: [{ leg_id: 'p1', amount: '50.00' }],
      }),
    ),
    'a decline where the provider signed a completed status': after('payment-started', {
      ...inOperation(payment, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      ...sandbox,
      report: storedCallback(payment, { ...signedReport, status: 'completed' }),
    }),
    ...plantsFor<Data>(
      [
        { fx_rate: '0.012501' },
        { expires_at: '2031-01-31T12:30:00.000Z' },
        { provider_reference: 'another' },
      ],
      (terms) => [
        `an acceptance with ${JSON.stringify(terms)}, which the provider did not sign`,
        acceptedBySignature(terms),
      ],
    ),
    'money at another FX rate than the provider signed': all(
      hasRoute({ conversion }),
      changeRoute('payment-started', { conversion }),
      change('payment-accepted', { fx_rate: '0.025000' }),
      change('payment-completed', {
        recorded_amount: '2.50',
        settlement_amount: '2.44',
        commission_amount: '0.06',
      }),
      by('payment-completed', sandbox),
      withReport(
        'payment-completed',
        storedCallback(payment, {
          ...lateReport('5.00'),
          fx_rate: '0.0125',
          acceptance: 'accepted',
        }),
      ),
    ),
    'a leg on another day than the provider signed': signedOnAnotherDay('payment-leg'),
    'a leg of a terminal status on another day than the provider signed':
      signedOnAnotherDay('payout-completed'),
    'late money on another day than the provider signed': signedOnAnotherDay('late'),
    'confirmed money on another day than the provider signed': signedOnAnotherDay('confirmed'),
    'returned money on another day than the provider signed': signedOnAnotherDay('returned'),
    'an attempt other than the one that the provider signed': withReport(
      'payment-leg',
      storedCallback(payment, { ...signedReport, attempt: 2 }),
    ),
    'a terminal status with a leg that the provider did not sign, in one append': by(
      'payment-completed',
      sandbox,
    ),
    'a missing callback of a client who was not erased': alteredCallback({ sealed: undefined }),
    'a provider report without a callback': withReport('payout-completed', undefined),
    'a callback of one provider under the name of another': by('payment-leg', otherProvider),
  },
  'statement.whole': {
    ...plantsFor<Data>(
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
  },
  'statement.closed': {
    ...plantsFor(
      `fee:f2 fee: fee other:f1 duplicate_line:f1:x not_in_statement:l9
        not_in_statement@absent:l1 fee@absent:f1 fee@: ledger_differs:absent`.split(/\s+/),
      (finding_id) => [
        `the close of a finding ${finding_id} that did not exist`,
        change('fee-closed', {
          finding_id,
          ...(/^(not|ledger)_/.test(finding_id) && { finding: finding_id.split(/[:@]/)[0] }),
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
  'tree.root': {
    'a signed root of other entries': rootSigned({ change: { root: 'A'.repeat(43) } }),
  },
  'tree.size': {
    'a signed size beyond the number of entries': rootSigned({ change: { tree_size: 1_000 } }),
    'a size signed twice': rootSigned({ times: 2 }),
  },
  'tree.signature': {
    'a wrong signature': rootSigned({ change: { signature: 'A'.repeat(86) } }),
    'a signing key that is in no event': rootSigned({ keys: [] }),
    'a signature from before the key was valid': rootSigned({
      change: { signed_at: '2026-01-31T11:00:00.000Z' },
    }),
  },
  'tree.key': { 'a duplicate key id': rootSigned({ keys: [addedKey, addedKey] }) },
};

function write(plant: Plant = () => undefined): RawEvent[] {
  const events = validLog();
  if (typeof plant === 'function') plant(events);
  const log = createLog();
  for (const event of events.values()) log.append(event);
  if (typeof plant !== 'function') plant.written(log.events);
  return log.events;
}

it('finds nothing in the unchanged log', async () => {
  const events = write();
  const { findings, inFlight, reports } = await auditLog(events, { reportKeys: auditorKeys });
  expect(findings).toEqual([]);
  expect(inFlight).toBe(0);
  expect(reports).toMatchObject({ stored: 2, verified: 1, erased: 1, tried: true });
});

it.each([1, 1_000])(
  'accepts signed roots of the entries (%i in memory, R25.3)',
  async (inMemory) => {
    const events = write(rootSigned({}));
    expect(events.filter(({ type }) => type === 'CheckpointSigned')).toHaveLength(1);
    expect((await auditLog(events, { inMemory })).findings).toEqual([]);
  },
);

it.each([1, 1_000])(
  'reports the status of each stored callback (%i in memory)',
  async (inMemory) => {
    const counted = async (plant?: Plant, reportKeys = auditorKeys) => {
      const events = write(plant);
      const { findings, reports } = await auditLog(events, { inMemory, reportKeys });
      expect(findings).toEqual([]);
      return Object.fromEntries(Object.entries(reports).filter(([, value]) => value !== 0));
    };
    const both = { stored: 2, erased: 1, tried: true, missingSecrets: [] };
    expect(await counted(undefined)).toEqual({ ...both, verified: 1 });
    const byOther = storedCallback(payment, signedReport, { secret: otherSecret });
    const earlier = withReport('payment-leg', byOther);
    const hint = byOther.secret_hint;
    expect(await counted(earlier)).toEqual({ ...both, no_secret: 1, missingSecrets: [hint] });
    const byAccount = all(after('token', accountAdded), atAccount, earlier);
    expect(await counted(byAccount)).toEqual({ ...both, verified: 1 });
    // Without a secret of its account, a match with another account's secret proves nothing.
    const none = { ...auditorKeys, secrets: new Map<string, never>() };
    const shared = all(after('token', accountAdded), earlier);
    expect(await counted(shared, none)).toEqual({
      ...both,
      no_secret: 1,
      missingSecrets: [storedCallback(payment, signedReport).secret_hint, hint],
    });
    const unwrap = () => {
      throw new Error('no master key');
    };
    const noMaster = await counted(undefined, { ...auditorKeys, masters: { unwrap } });
    expect(noMaster).toEqual({ ...both, no_master_key: 1 });
    // The callback of a client who was already erased is stored without its content.
    const { sealed: _, ...bare } = storedCallback(payout, {});
    const afterErasure = all(erasedFirst, withReport('payout-completed', bare));
    expect(await counted(afterErasure)).toEqual({ ...both, verified: 1 });
    // If the client's key could not be read on receipt, the callback is not counted as erased.
    const { sealed: _sealed, ...unread } = storedCallback(payment, signedReport);
    const unreadable = withReport('payment-leg', { ...unread, unsealed: 'key_unreadable' });
    expect(await counted(unreadable)).toEqual({ ...both, not_read: 1 });
    // The stream of an erased client's key may or may not have been scavenged.
    const cleaned = drop('erased-key', 'erasure-retired');
    expect(await counted(cleaned)).toEqual({ ...both, verified: 1 });
  },
);

it('counts callbacks without verifying them if it has no keys', async () => {
  const { findings, reports } = await auditLog(write());
  expect(findings).toEqual([]);
  expect(reports).toMatchObject({ stored: 2, erased: 1, not_read: 1, verified: 0, tried: false });
});

const planted = Object.entries(plants).flatMap(([rule, byTitle]) =>
  Object.entries(byTitle).map(([what, plant]) => ({ rule, what, plant })),
);

it.each(planted)(
  'reports $rule: $what (R12.1, R18.2, R18.8, R18.10, R18.12, R18.14, R18.15, R21.8, R22.13, R22.16)',
  async ({ rule: broken, plant }) => {
    const events = write(plant);
    for (const inMemory of [1, 1_000]) {
      const { findings } = await auditLog(events, { inMemory, reportKeys: auditorKeys });
      const named = findings.filter(({ rule }) => rule === broken);
      expect(findings.map(({ rule }) => rule)).toContain(broken);
      expect(named[0]?.stream).not.toBe('');
      expect(named[0]?.message).not.toBe('');
    }
  },
);

it('has a violation for every rule of the log (R18.2)', () => {
  const elsewhere = /^(webhook|read_model|checkpoint)\./;
  const broken = new Set(planted.map(({ rule }) => rule));
  expect(ruleCodes.filter((code) => !elsewhere.test(code) && !broken.has(code))).toEqual([]);
});

it('accepts a destroyed key whose stream was scavenged', async () => {
  const events = write(drop('erased-key', 'erasure-retired'));
  expect(events.filter(({ stream }) => stream === `personal-key-${erasedKey}`)).toHaveLength(1);
  expect((await auditLog(events)).findings).toEqual([]);
});

it('judges an operation of an older version by the rules of that version', async () => {
  const older = (name: string) =>
    all(set(name, { schemaVersion: 2 }), change(name, { body_hash: 'hash' }));
  const asOlderVersion = all(
    drop('confirmed-rest', 'excess', 'excess-suspense'),
    older('approved-admitted'),
    // Withdrawn after its approval, so its money was late.
    followedBy('approved-completed', 'AttemptWithdrawn', { attempt: 1 }),
    set('confirmed', { type: 'LateMoneyReceived', schemaVersion: 1 }),
    // Accepted without requisites.
    older('payment-admitted'),
    without('payment-accepted', 'requisites'),
  );
  const { findings } = await auditLog(write(asOlderVersion));
  // That money is not in suspense in this log.
  expect(findings.filter(({ rule }) => rule !== 'late.suspense_missing')).toEqual([]);
});

it('counts events older than key and token ids separately', async () => {
  const before = all(
    by('setup-1', unnamedAdmin),
    by('setup-2', unnamedAdmin),
    by('payment-admitted', { actor: `merchant:${shopId}` }),
    change('payment-admitted', { body_hash: 'hash' }),
    set('payment-admitted', { schemaVersion: 2 }),
    // Within a day, an instance of the older version may still be running.
    by('adjustment', unnamedAdmin),
  );
  const sound = await auditLog(write(before));
  expect(sound.findings).toEqual([]);
  expect(sound.notes).toContain(
    '4 events of merchants and operators are older than the ids of keys and tokens',
  );
  const later = all(before, set('adjustment', { atMs: Date.parse('2026-02-02T12:00:00.000Z') }));
  const { findings } = await auditLog(write(later));
  expect(findings.map(({ rule }) => rule)).toContain('authority.token');
});

it('accepts a provider’s statement requested by an operator (R22.13)', async () => {
  const plant = all(by('stated-lines', firstAdmin), by('stated', firstAdmin));
  const { findings } = await auditLog(write(plant));
  expect(findings).toEqual([]);
});

it('accepts the leg id of a return that an older version prefixed with its attempt', async () => {
  const older = all(
    change('returned', { of_leg_id: '1:m1' }),
    set('returned', { schemaVersion: 1 }),
    // Resolved by the current version.
    change('returned-suspense', { of_leg_id: '1:m1' }),
  );
  expect((await auditLog(write(older))).findings).toEqual([]);
});

it('counts confirmed lines, open findings and closed findings (R22.13)', async () => {
  const noted = async (plant?: Plant) => {
    const events = write(plant);
    const { findings, notes } = await auditLog(events);
    expect(findings.filter(({ rule }) => /^statement\.(whole|closed)/.test(rule))).toEqual([]);
    return notes.find((note) => note.startsWith('statements of providers'));
  };
  const said = (confirmed: number, open: number, closed: number) =>
    `statements of providers: 1 days, ${confirmed} lines confirmed, ${open} findings open, ${closed} closed by operators`;
  const before = await noted();
  const [, open = ''] = /(\d+) findings open/.exec(before ?? '') ?? [];
  expect(before).toBe(said(3, Number(open), 1));
  // Another amount of the payment's first leg: its line is no longer confirmed, and the ledger
  // differs.
  const leg = { leg: storedLeg('l1', '41.00') };
  expect(await noted(change('payment-leg', leg))).toBe(said(2, Number(open) + 2, 1));
  expect(await noted(drop('fee-closed'))).toBe(said(3, Number(open) + 1, 0));
  // The leg's finding is closed instead, with an id in the new or old form; the fee is open.
  const legClosed = (id: (operationId: string) => string) => (events: NamedEvents) => {
    const [line] = dataOf(events, 'stated-lines')['lines'] as StoredLine[];
    const finding_id = id(line?.operation_id ?? '');
    const note = { finding: 'amount_differs', amount: '40.00', counted: '41.00' };
    change('fee-closed', { finding_id, ...note })(events);
  };
  for (const id of [
    (operationId: string) => `amount_differs@${operationId}:l1`,
    () => 'amount_differs:l1',
  ])
    expect(await noted(all(change('payment-leg', leg), legClosed(id)))).toBe(
      said(2, Number(open) + 2, 1),
    );
  // The finding had other amounts when it was closed.
  expect(await noted(change('fee-closed', { amount: '1.00' }))).toBe(before);
  // A closing balance that differs; an operator has closed that finding with this amount.
  const balance = (events: NamedEvents) => {
    const lines = dataOf(events, 'stated-lines')['lines'] as StoredLine[];
    const digest = hash('sha256', [...lines.map(rowOf), '0.00', '49.01'].join('\n'), 'hex');
    change('stated', { closing_balance: '49.01', digest })(events);
  };
  expect(await noted(balance)).toBe(said(3, Number(open) + 1, 1));
  const of = { finding_id: 'balance_differs', finding: 'balance_differs' };
  const right = change('fee-closed', { ...of, amount: '49.01', counted: '49.00' });
  expect(await noted(all(balance, right))).toBe(said(3, Number(open) + 1, 1));
  const wrong = change('fee-closed', { ...of, amount: '50.00', counted: '49.00' });
  expect(await noted(all(balance, wrong))).toBe(said(3, Number(open) + 2, 0));
  const another = { amount: '1.00', counted: '1.00' };
  expect(await noted(change('fee-closed', another))).toBe(said(3, Number(open) + 1, 0));
});

it('lists what only unsigned responses of providers support (R18.10)', async () => {
  const noted = async (plant?: Plant, ofShop?: string) => {
    const events = write(plant);
    const { notes } = await auditLog(events, { ...(ofShop !== undefined && { shopId: ofShop }) });
    return notes.find((note) => note.startsWith('only unsigned responses of providers'));
  };
  const said = (...parts: string[]) =>
    `only unsigned responses of providers support ${parts.join('; ')}`;
  const money = `1 ends with money: ${payment}`;
  const late = (...ids: string[]) => `${ids.length} late facts: ${[...new Set(ids)].join(', ')}`;
  const [of, ofOther] = [[payment], [approved, approved, approved, approved]] as const;
  expect(await noted()).toBe(said(money, late(...of, ...ofOther)));
  expect(await noted(undefined, shopId)).toBe(said(money, late(...of)));
  expect(await noted(undefined, otherShopId)).toBe(said(late(...ofOther)));
  // The callback of the terminal status contains all of its money.
  const signed = all(
    by('payment-completed', sandbox),
    withReport('payment-completed', storedCallback(payment, lateReport('5.00'))),
  );
  expect(await noted(signed, shopId)).toBe(said(late(...of)));
  const numbered = change('reviewed-accepted+0', { report_version: 2 });
  const expired = all(expiredAtOnce(undefined), numbered);
  expect(await noted(expired, shopId)).toBe(
    said(money, `1 ends without money: ${reviewed}`, late(...of)),
  );
  const difference = followedBy('late', 'DifferenceReported', {
    ...aboutLate,
    currency: 'RUB',
    of: 'transfer',
    corrects: 'l3',
    leg: signedLeg('l3:corrected-1', '-1.00'),
    counted_amount: '5.00',
    reported_amount: '4.00',
  });
  expect(await noted(difference, shopId)).toBe(said(money, late(...of, ...of)));
  // Decided by an operator, but at the FX rate of the provider.
  const rate = change('approved-accepted', { fx_rate: '0.012500' });
  expect(await noted(rate, otherShopId)).toBe(
    said(`1 ends with money: ${approved}`, late(...ofOther)),
  );
});

it('defers an entry that became due a moment ago', async () => {
  const events = write(drop('capture'));
  const nowMs = Date.parse('2026-01-31T12:00:10.000Z');
  const { findings, inFlight } = await auditLog(events, { nowMs });
  expect(findings).toEqual([]);
  expect(inFlight).toBe(1);
});

it('does not report an open payment as overdue before its window ends', async () => {
  const names = [...validLog().keys()];
  const plant = all(
    drop(...names.slice(names.indexOf('payment-leg'))),
    change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' }),
  );
  const events = write(plant);
  const as = (time: string) => auditLog(events, { nowMs: Date.parse(time) });
  expect(await as('2026-01-31T12:00:10.000Z')).toMatchObject({ findings: [], inFlight: 0 });
  expect(await as('2026-01-31T15:00:10.000Z')).toMatchObject({ findings: [], inFlight: 1 });
  expect((await as('2026-01-31T15:00:31.000Z')).findings).toMatchObject([
    { rule: 'operation.overdue' },
  ]);
});
