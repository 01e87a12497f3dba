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
  cancelledFirst,
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

/** A violation: a change of the events before they are written, or of the written log. */
type Plant = {
  rule: RuleCode;
  what: string;
  plant?(events: NamedEvents): void;
  written?(log: RawEvent[]): void;
};

type Data = Record<string, unknown>;
const dataOf = (events: NamedEvents, name: string): Data => {
  const event = events.get(name);
  if (!event) throw new Error(`no event ${name}`);
  return event.data as Data;
};
const change = (name: string, more: Data) => (events: NamedEvents) =>
  void Object.assign(dataOf(events, name), more);
/** Moves the erasure of a client before the terminal status of its operation. */
const erasedFirst = (events: NamedEvents): void => {
  const request = events.get('erasure-requested') as NewLogEvent;
  drop('erasure-requested')(events);
  after('erased-key', request)(events);
};
const by =
  (name: string, actor: Pick<NewLogEvent, 'actor' | 'tokenId' | 'keyId' | 'linkIssuers'>) =>
  (events: NamedEvents): void => {
    const event = events.get(name);
    if (!event) throw new Error(`no event ${name}`);
    Object.assign(event, actor);
  };
/** Sets the provider report that an event is recorded with. */
const withReport =
  (name: string, report: object | undefined) =>
  (events: NamedEvents): void => {
    const event = events.get(name);
    if (!event) throw new Error(`no event ${name}`);
    Object.assign(event, { report });
  };
const drop = (name: string) => (events: NamedEvents) => {
  if (!events.delete(name)) throw new Error(`no event ${name}`);
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
const again = (name: string) => (events: NamedEvents) =>
  after(name, structuredClone(events.get(name) as NewLogEvent))(events);
const all =
  (...plants: ((events: NamedEvents) => void)[]) =>
  (events: NamedEvents) => {
    for (const plant of plants) plant(events);
  };
const ownKey = { actor: `merchant:${shopId}`, keyId: keyOf(shopId) };
const issued = {
  stream: 'operators',
  type: 'AdminTokenIssued',
  data: { token_id: 't', token_hash: 'h', name: 'n', role: 'admin', hint: 'abcd' },
};
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
const limits = (RUB: string) => ({
  settings: shopSettings({ overdraft_limits: { RUB } }),
});
const request = { client_id: 'client', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' };
const lateLeg = { completed_at: '2026-01-31T12:01:00.000Z', file: true };
const legReturn = {
  attempt: 1,
  returned: { leg_id: 'b', of_leg_id: 'l1', amount: '50.00', completed_at: lateLeg.completed_at },
  leg: { ...lateLeg, leg_id: 'l1', amount: '0.00' },
};
const correction = (legId: string, was: string, version: number) => ({
  attempt: 1,
  leg: { ...lateLeg, leg_id: legId, amount: '1.00' },
  was,
  report_version: version,
});
const signedLeg = (leg_id: string, amount: string) => ({
  leg_id,
  amount,
  completed_at: lateLeg.completed_at,
});
const signedReport = {
  operation_id: payment,
  attempt: 1,
  status: 'open',
  legs: [signedLeg('l1', '40.00')],
};
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
    after('reviewed-accepted', inOperation(reviewed, 'OperationExpired', noMoney)),
    ...['uploaded', 'checked', 'decided', 'reviewed-declined', 'reviewed-withdrawn'].map(drop),
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

const plants: readonly Plant[] = [
  {
    rule: 'log.position_order',
    what: 'an event out of position order',
    written: (log) => (find(log, 'ShopCreated').position = 1),
  },
  {
    rule: 'log.revision_gap',
    what: 'a gap in the revisions',
    written: (log) => (find(log, 'LegReceived').revision = 9),
  },
  {
    rule: 'log.duplicate_event_id',
    what: 'a duplicate event id',
    written: (log) => (find(log, 'LegReceived').id = find(log, 'ShopCreated').id),
  },
  {
    rule: 'log.undecodable',
    what: 'data that does not match its schema',
    plant: change('payment-leg', { leg: { leg_id: 7 } }),
  },
  {
    rule: 'log.undecodable',
    what: 'an unknown event type',
    plant: after('payment-leg', inOperation(payment, 'OperationBlessed', {})),
  },
  {
    rule: 'log.undecodable',
    what: 'invalid JSON',
    written: (log) => (find(log, 'LegReceived').data = Buffer.from('{')),
  },
  {
    rule: 'log.undecodable',
    what: 'an unknown kind of stream',
    plant: after('token', { stream: 'secrets', type: 'Told', data: {} }),
  },
  {
    rule: 'log.newer_version',
    what: 'an admission with a future schema version',
    plant: (events) =>
      void Object.assign(events.get('payment-admitted') ?? {}, { schemaVersion: 99 }),
  },
  {
    rule: 'log.metadata',
    what: 'metadata without an actor',
    written: (log) =>
      (find(log, 'LegReceived').metadata = Buffer.from(
        '{"correlation_id":"c","schema_version":1}',
      )),
  },
  {
    rule: 'log.wrong_stream',
    what: 'the admission of another operation',
    plant: change('payment-admitted', { operation_id: payout }),
  },
  {
    rule: 'log.wrong_stream',
    what: 'an entry of another shop',
    plant: change('adjusted', { shop_id: 'shop-2' }),
  },
  {
    rule: 'log.truncated',
    what: 'a ledger stream with $maxAge',
    plant: after('token', {
      stream: `$$ledger-${shopId}-RUB`,
      type: '$metadata',
      data: { $maxAge: 60 },
    }),
  },
  {
    rule: 'operation.admission_first',
    what: 'an attempt without an admission',
    plant: after('token', inOperation(newId(), 'AttemptWithdrawn', { attempt: 1 })),
  },
  {
    rule: 'operation.admission_first',
    what: 'a second admission',
    plant: again('payment-admitted'),
  },
  {
    rule: 'operation.unknown_shop',
    what: 'an operation of an unknown shop',
    plant: change('payment-admitted', { shop_id: 'shop-9' }),
  },
  {
    rule: 'operation.id',
    what: 'an operation id that does not match its merchant_operation_id',
    plant: change('payment-admitted', { merchant_operation_id: 'order-9' }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'money for an attempt that was not accepted',
    plant: change('payment-leg', { attempt: 2 }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an acceptance without an attempt',
    plant: drop('payment-started'),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'a review decision not followed by a terminal status',
    plant: after('decided', inOperation('', 'ManualCheckStarted', { receipt_id: 'u1' })),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'a manual close not followed by a terminal status',
    plant: after('payment-leg', inOperation(payment, 'CloseDecided', { note: 'x' })),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'a decline by a close that was not decided',
    plant: change('reviewed-declined', { reason: 'close' }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an acceptance at an FX rate that settles nothing',
    plant: (events) => {
      Object.assign(dataOf(events, 'payment-started')['route'] as Data, { conversion });
      Object.assign(dataOf(events, 'payment-accepted'), { fx_rate: '0.000049' });
    },
  },
  {
    rule: 'operation.second_end',
    what: 'a second terminal status',
    plant: after('payment-completed', inOperation(payment, 'OperationExpired', noMoney)),
  },
  {
    rule: 'operation.event_after_end',
    what: 'money after the terminal status',
    plant: after(
      'payment-completed',
      inOperation(payment, 'LegReceived', {
        attempt: 1,
        leg: {
          leg_id: 'l9',
          amount: '1.00',
          completed_at: '2026-01-31T12:01:00.000Z',
          file: false,
        },
      }),
    ),
  },
  {
    rule: 'operation.requisites_after_cancel',
    what: 'requisites after an early cancel',
    plant: after(
      'cancelled',
      inOperation(cancelledFirst, 'AttemptAccepted', {
        attempt: 1,
        provider_reference: 'ref',
        requisites: { number: '2200' },
        confirmation_required: false,
      }),
    ),
  },
  {
    rule: 'operation.payout_cancelled',
    what: 'a cancelled payout',
    plant: all(
      drop('payout-completed'),
      drop('capture'),
      after(
        'payout-accepted',
        inOperation(payout, 'OperationCancelled', { ...noMoney, reason: '' }),
      ),
    ),
  },
  {
    rule: 'operation.payout_declined_unknown',
    what: 'a payout declined after a timeout',
    plant: all(
      drop('payout-completed'),
      drop('capture'),
      drop('payout-accepted'),
      after(
        'payout-reserved',
        inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'acceptance_timeout' }),
      ),
    ),
  },
  { rule: 'operation.legs', what: 'legs with too small a sum', plant: drop('payment-leg') },
  {
    rule: 'operation.end_kind',
    what: 'completed with too small an amount',
    plant: change('payment-admitted', {
      request: { client_id: 'c', method: 'WT_RUB_C2C', amount: '100.01', currency: 'RUB' },
    }),
  },
  {
    rule: 'operation.figures',
    what: 'a commission that is rounded down',
    plant: change('payment-completed', { commission_amount: '2.49', settlement_amount: '97.51' }),
  },
  {
    rule: 'operation.figures',
    what: 'a recorded amount without money',
    plant: change('cancelled', { recorded_amount: '0.00' }),
  },
  {
    rule: 'operation.reserved_amount',
    what: 'a reservation request without the commission',
    plant: change('payout-requested', { amount: '100.00' }),
  },
  ...[
    ['a window that ends in 2031', '2031-01-31T12:30:00.000Z'],
    ['no window', undefined],
  ].map(([window, expires]): Plant => ({
    rule: 'operation.expired_early',
    what: `an early expiry with ${window}, at a provider that numbers its reports`,
    plant: expiredAtOnce(expires),
  })),
  {
    rule: 'operation.reserved_amount',
    what: 'an attempt at 90 % with funds reserved for 2.50 %',
    plant: all(
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
      by('payout-completed', { actor: 'service:processor' }),
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
  {
    rule: 'operation.overdue',
    what: 'a create that is never finished',
    plant: all(
      drop('payment-completed'),
      drop('payment-accepted'),
      drop('payment-leg'),
      drop('credit'),
    ),
  },
  {
    rule: 'operation.overdue',
    what: 'a payment still open long after its expiry',
    plant: all(
      drop('payment-completed'),
      drop('payment-leg'),
      change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' }),
    ),
  },
  {
    rule: 'ledger.unbalanced',
    what: 'legs that do not sum to zero',
    plant: change('credit', {
      legs: legs({ provider: '-100.00', balance: '97.50', commission: '2.60' }),
    }),
  },
  {
    rule: 'ledger.legs',
    what: 'an account listed twice',
    plant: change('adjusted', {
      legs: [...legs({ balance: '9.00' }), ...legs({ balance: '1.00', external: '-10.00' })],
    }),
  },
  {
    rule: 'ledger.legs',
    what: 'an account that this kind of entry does not have',
    plant: change('adjusted', { legs: legs({ balance: '10.00', suspense: '-10.00' }) }),
  },
  {
    rule: 'ledger.totals',
    what: 'wrong totals',
    plant: change('capture', {
      legs: legs({ reserved: '-102.50', provider: '50.00', balance: '51.25' }),
    }),
  },
  {
    rule: 'ledger.position',
    what: 'a balance that does not follow from the entry',
    plant: change('credit', { balance_after: '107.51' }),
  },
  {
    rule: 'ledger.reserved_negative',
    what: 'a negative reserved balance',
    plant: all(change('capture', { reserved_after: '-0.01' })),
  },
  {
    rule: 'ledger.floor',
    what: 'a reserve beyond the overdraft limit',
    plant: all(
      change('resolution', { balance_after: '100.00' }),
      after('token', {
        stream: `shop-${shopId}`,
        type: 'ShopChanged',
        data: limits('2.49'),
        // Long before the payout, which uses the settings at its start.
        atMs: Date.parse('2026-01-31T11:59:00.000Z'),
      }),
    ),
  },
  { rule: 'ledger.posted_twice', what: 'a second credit', plant: again('credit') },
  {
    rule: 'ledger.posted_twice',
    what: 'late money posted to suspense twice',
    plant: again('suspense'),
  },
  { rule: 'ledger.posted_twice', what: 'an adjustment posted twice', plant: again('adjusted') },
  {
    rule: 'ledger.not_owed',
    what: 'a credit without a terminal status',
    plant: drop('payment-completed'),
  },
  {
    rule: 'ledger.not_owed',
    what: 'a release while the payout is open',
    plant: after(
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
  },
  {
    rule: 'ledger.not_owed',
    what: 'an adjustment without a request',
    plant: all(drop('adjustment'), drop('adjustment-noted')),
  },
  { rule: 'ledger.reservation_end', what: 'a second capture', plant: again('capture') },
  {
    rule: 'ledger.reservation_end',
    what: 'a capture of less than was reserved',
    plant: change('capture', {
      legs: legs({ reserved: '-102.00', provider: '50.00', commission: '1.25', balance: '50.75' }),
    }),
  },
  {
    rule: 'reservation.amount',
    what: 'a reserve of less than was requested',
    plant: change('reserve', { legs: legs({ balance: '-100.00', reserved: '100.00' }) }),
  },
  { rule: 'reservation.not_made', what: 'a submission without a reserve', plant: drop('reserve') },
  {
    rule: 'reservation.not_closed',
    what: 'a reservation that is never closed',
    plant: all(
      drop('payout-completed'),
      drop('capture'),
      after(
        'payout-accepted',
        inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      ),
    ),
  },
  { rule: 'settlement.missing', what: 'a payment that was never credited', plant: drop('credit') },
  { rule: 'settlement.missing', what: 'a payout that was never captured', plant: drop('capture') },
  {
    rule: 'settlement.amounts',
    what: 'a credit without the commission',
    plant: change('credit', { legs: legs({ provider: '-100.00', balance: '100.00' }) }),
  },
  {
    rule: 'late.unknown',
    what: 'late money of an unknown attempt',
    plant: change('late', { attempt: 7 }),
  },
  ...['LateMoneyReceived', 'ApprovedMoneyConfirmed', 'LateStatusReported'].map((type): Plant => ({
    rule: 'late.open',
    what: `${type} of the accepted attempt while the payment is open`,
    plant: after('payment-leg', {
      stream: `late-${payment}`,
      type,
      data: {
        ...aboutLate,
        ...(type === 'LateStatusReported'
          ? { reported_status: 'declined', operation_status: 'pending' }
          : { currency: 'RUB', leg: { ...lateLeg, leg_id: 'early', amount: '60.00' } }),
      },
    }),
  })),
  { rule: 'late.twice', what: 'late money twice', plant: again('late') },
  {
    rule: 'operation.illegal_transition',
    what: 'a leg corrected from another amount',
    plant: after('payment-leg', inOperation(payment, 'LegCorrected', correction('l1', '41.00', 2))),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an older report applied after a newer one',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegCorrected', correction('l1', '40.00', 3)),
      inOperation(payment, 'LegCorrected', correction('l1', '1.00', 2)),
    ),
  },
  {
    rule: 'late.unknown',
    what: 'a correction of late money from another amount',
    plant: (events) => {
      const late = events.get('late') as NewLogEvent;
      const { leg: _, ...about } = late.data as Data;
      const amounts = {
        leg_id: 'l3',
        counted_amount: '6.00',
        reported_amount: '0.00',
        report_version: 9,
      };
      after('late', { ...late, type: 'LateLegCorrected', data: { ...about, ...amounts } })(events);
    },
  },
  {
    rule: 'operation.illegal_transition',
    what: 'a payment accepted without requisites',
    plant: (events) => void delete dataOf(events, 'payment-accepted')['requisites'],
  },
  {
    rule: 'late.approved',
    what: 'approved money recorded as late',
    plant: (events) =>
      void Object.assign(events.get('confirmed') as object, { type: 'LateMoneyReceived' }),
  },
  {
    rule: 'late.approved',
    what: 'more money confirmed than approved',
    plant: change('confirmed-rest', { leg: { ...lateLeg, leg_id: 'm2', amount: '40.01' } }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an attempt withdrawn after an approval',
    plant: after('approved-completed', inOperation(approved, 'AttemptWithdrawn', { attempt: 1 })),
  },
  {
    rule: 'late.overcharge',
    what: 'an overcharge of a payout that cost the agreed amount',
    plant: after('capture', {
      stream: `late-${payout}`,
      type: 'PayoutOvercharged',
      data: {
        operation_id: payout,
        shop_id: shopId,
        merchant_id: 'merchant-1',
        attempt: 1,
        provider: 'sandbox',
        currency: 'RUB',
        agreed_amount: '1.00',
        charged_amount: '2.00',
      },
    }),
  },
  {
    rule: 'late.returned',
    what: 'a return beyond the received money that is not marked as such',
    plant: (events) => void delete dataOf(events, 'returned')['beyond'],
  },
  {
    rule: 'late.returned',
    what: 'a return marked with too large an excess',
    plant: (events) => {
      const ended = { atMs: Date.parse('2026-01-31T11:58:00.000Z') };
      Object.assign(events.get('approved-completed') as object, ended);
      change('returned', { beyond: '10.01' })(events);
    },
  },
  {
    rule: 'late.returned',
    what: 'a wrong total of returned money',
    plant: change('returned', { total: '60.00' }),
  },
  {
    rule: 'late.returned',
    what: 'a return without a total, long after the terminal status',
    plant: (events) => {
      const ended = { atMs: Date.parse('2026-01-31T11:58:00.000Z') };
      Object.assign(events.get('approved-completed') as object, ended);
      delete dataOf(events, 'returned')['total'];
    },
  },
  {
    rule: 'late.returned',
    what: 'a return of a payment with the wrong kind',
    plant: change('returned', { kind: 'returned' }),
  },
  {
    rule: 'late.returned',
    what: 'an excess return before the terminal status without a late event',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegReturned', { ...legReturn, counted: '40.00' }),
    ),
  },
  {
    rule: 'late.unknown',
    what: 'a correction of a return from another amount',
    plant: (events) => {
      const returned = events.get('returned') as NewLogEvent;
      const { leg: _, kind: __, beyond: ___, ...about } = returned.data as Data;
      const amounts = {
        leg_id: 'b1',
        counted_amount: '60.00',
        reported_amount: '0.00',
        report_version: 9,
      };
      after('returned', { ...returned, type: 'LateLegCorrected', data: { ...about, ...amounts } })(
        events,
      );
    },
  },
  { rule: 'late.twice', what: 'a return with a duplicate id', plant: again('returned') },
  {
    rule: 'operation.illegal_transition',
    what: 'a return that reduces its leg by another amount',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegReturned', { ...legReturn, counted: '39.00' }),
    ),
  },
  {
    rule: 'operation.legs',
    what: 'money returned before the terminal status that still counts',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegReturned', {
        ...legReturn,
        returned: { ...legReturn.returned, amount: '40.00' },
        counted: '40.00',
      }),
    ),
  },
  {
    rule: 'ledger.not_owed',
    what: 'an entry for the return of another leg',
    plant: change('returned-suspense', { of_leg_id: 'm2' }),
  },
  {
    rule: 'late.suspense_missing',
    what: 'returned money that is not in suspense',
    plant: all(drop('returned-suspense'), drop('returned-resolution')),
  },
  {
    rule: 'late.suspense_amounts',
    what: 'returned money posted to suspense with the wrong sign',
    plant: change('returned-suspense', { legs: legs({ provider: '-70.00', suspense: '70.00' }) }),
  },
  {
    rule: 'late.resolution',
    what: 'a chargeback credited to the shop',
    plant: change('returned-resolution', { resolution: 'credit_shop' }),
  },
  {
    rule: 'ledger.cause',
    what: 'an entry for a return whose cause is late money',
    plant: change('returned-suspense', { cause: 'LateMoneyReceived' }),
  },
  {
    rule: 'late.suspense_missing',
    what: 'late money that is not in suspense',
    plant: all(drop('suspense'), drop('resolution')),
  },
  {
    rule: 'late.suspense_amounts',
    what: 'less in suspense than was received',
    plant: change('suspense', { legs: legs({ provider: '-4.00', suspense: '4.00' }) }),
  },
  {
    rule: 'late.resolution',
    what: 'late money of a payment charged to its shop',
    plant: change('resolution', { resolution: 'charge_shop' }),
  },
  { rule: 'late.resolution', what: 'a resolution without suspense', plant: drop('suspense') },
  { rule: 'adjustment.missing', what: 'an adjustment without an entry', plant: drop('adjusted') },
  {
    rule: 'adjustment.amounts',
    what: 'an adjustment of more than was requested',
    plant: change('adjusted', { legs: legs({ balance: '11.00', external: '-11.00' }) }),
  },
  {
    rule: 'adjustment.amounts',
    what: 'an adjustment note for another entry',
    plant: change('adjustment-noted', { revision: 5 }),
  },
  {
    rule: 'receipts.not_owed',
    what: 'receipts of an open operation',
    plant: drop('payment-completed'),
  },
  { rule: 'receipts.not_owed', what: 'duplicate receipts', plant: again('evidence') },
  {
    rule: 'receipts.not_owed',
    what: 'receipts where the legs are the evidence',
    plant: change('payment-completed', { evidence: 'legs' }),
  },
  {
    rule: 'receipts.not_shown',
    what: 'an unreported leg as evidence of an approval',
    plant: (events) => {
      for (const leg of dataOf(events, 'approved-completed')['legs'] as Data[])
        delete leg['synthetic'];
    },
  },
  {
    rule: 'receipts.legs',
    what: 'a leg without a receipt',
    plant: (events) => void (dataOf(events, 'evidence')['items'] as unknown[]).pop(),
  },
  {
    rule: 'receipts.status',
    what: 'a partial status without a reason',
    plant: change('evidence', { status: 'partial' }),
  },
  {
    rule: 'setup.order',
    what: 'the revocation of an unknown token',
    plant: after('token', {
      stream: 'operators',
      type: 'AdminTokenRevoked',
      data: { token_id: 'x' },
    }),
  },
  ...[
    { commission: { percent: '90', fixed: '0.00' } },
    { commission: { percent: '2.50', fixed: '1.00' } },
    { provider: 'other' },
    { max_amount: '100.00' },
    { options: { fx_rate: '2' } },
  ].map((changed): Plant => ({
    rule: 'routing.route',
    what: `an attempt with ${JSON.stringify(changed)}, which no route of the shop has`,
    plant: changeRoute('reviewed-started', changed),
  })),
  {
    rule: 'routing.route',
    what: 'a conversion that no route of the shop has',
    plant: all(
      changeRoute('reviewed-started', { conversion }),
      change('reviewed-accepted', { fx_rate: '0.012500' }),
    ),
  },
  {
    rule: 'routing.route',
    what: 'an attempt by a route removed long before',
    plant: after('members-key', {
      stream: `shop-${shopId}`,
      type: 'RoutesReplaced',
      data: { routes: [] },
      atMs: Date.parse('2026-01-31T11:58:00.000Z'),
    }),
  },
  ...[{ daily_count: 1 }, { daily_amount: '199.99' }].map((limit): Plant => ({
    rule: 'routing.daily_limit',
    what: `a second attempt a minute later on a route with ${JSON.stringify(limit)}`,
    plant: all(
      hasRoute({ requires_receipt: true, ...limit }),
      changeRoute('reviewed-started', limit),
      (events) =>
        void Object.assign(events.get('reviewed-started') as object, {
          atMs: Date.parse('2026-01-31T12:01:30.000Z'),
        }),
    ),
  })),
  {
    rule: 'routing.provider_off',
    what: 'an attempt with a provider switched off long before',
    plant: after('switched-on', {
      ...switchOf('ProviderSwitchedOff'),
      atMs: Date.parse('2026-01-31T11:59:00.000Z'),
    }),
  },
  {
    rule: 'routing.account_off',
    what: 'an attempt with an unknown account',
    plant: (events) =>
      void Object.assign(dataOf(events, 'payment-started')['route'] as Data, { account: 'second' }),
  },
  {
    rule: 'authority.role',
    what: 'a provider switched off by an unknown operator',
    plant: by('switched-off', { actor: 'operator:nobody' }),
  },
  { rule: 'setup.order', what: 'a shop without its merchant', plant: drop('setup-1') },
  {
    rule: 'personal.in_clear',
    what: 'requisites',
    plant: change('payment-accepted', { requisites: { number: '2200' } }),
  },
  {
    rule: 'personal.in_clear',
    what: 'a row of a payout file',
    plant: change('batch-rows', {
      rows: [
        {
          merchant_operation_id: 'order-9',
          client_id: 'client',
          method: 'WT_RUB_C2C',
          amount: '100.00',
          currency: 'RUB',
          sealed: '2200',
        },
      ],
    }),
  },
  {
    rule: 'log.wrong_stream',
    what: 'a payout file in the stream of another',
    plant: change('batch-checked', { batch_id: 'batch-2' }),
  },
  {
    rule: 'authority.actor',
    what: 'a payout file uploaded by a service',
    plant: by('batch-checked', { actor: 'service:processor' }),
  },
  {
    rule: 'personal.in_clear',
    what: 'a client IP address',
    plant: change('payment-admitted', { request: { ...request, client_ip: '192.0.2.1' } }),
  },
  {
    rule: 'personal.in_clear',
    what: 'metadata',
    plant: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: retainedKey, hmac: 'hmac' } },
      request: { ...request, metadata: { opened: { 'order.id': '1042' } } },
    }),
  },
  {
    rule: 'personal.in_clear',
    what: 'a value that only looks sealed',
    plant: change('payment-admitted', {
      request: { ...request, client_ip: { sealed: '192.0.2.1' } },
    }),
  },
  {
    rule: 'personal.in_clear',
    what: 'an unkeyed hash of the whole body',
    plant: change('payment-admitted', { body_hash: { whole: 'f0e4c2f7' } }),
  },
  {
    rule: 'personal.in_clear',
    what: 'an unkeyed hash that covers a client IP address',
    plant: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7' },
      request: { ...request, client_ip: { sealed: sealedWith(retainedKey) } },
    }),
  },
  {
    rule: 'personal.key_missing',
    what: 'a body hash with an unknown key',
    plant: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: 'c'.repeat(22), hmac: 'ab' } },
    }),
  },
  {
    rule: 'personal.key_missing',
    what: 'data sealed with an unknown key',
    plant: drop('kept-key'),
  },
  {
    rule: 'ledger.cause',
    what: 'a credit whose cause is the process that posted it',
    plant: change('credit', { cause: 'service:webhooks' }),
  },
  {
    rule: 'ledger.cause',
    what: 'a capture with another provider',
    plant: change('capture', { provider: 'other' }),
  },
  {
    rule: 'ledger.cause',
    what: 'a credit with a conversion that did not happen',
    plant: change('credit', { source: { amount: '100.00', currency: 'USD', fx_rate: '1.000000' } }),
  },
  {
    rule: 'personal.key_missing',
    what: 'a missing key that was not destroyed',
    plant: all(drop('erased-key'), drop('erasure-retired'), drop('erasure-destroyed')),
  },
  {
    rule: 'personal.key_destroyed',
    what: 'a key destroyed without a request',
    plant: drop('erasure-requested'),
  },
  {
    rule: 'personal.key_destroyed',
    what: 'a key destroyed that was not the requested one',
    plant: after('erasure-erased', {
      stream: `personal-key-${retainedKey}`,
      type: '$streamDeleted',
      data: null,
    }),
  },
  {
    rule: 'personal.erasure',
    what: 'an erasure recorded as complete while the key exists',
    plant: drop('erasure-destroyed'),
  },
  ...[
    [
      'money reported by the merchant',
      'payment-leg',
      { actor: `merchant:${shopId}`, keyId: keyOf(shopId) },
    ],
    [
      'a terminal status set by the merchant',
      'payment-completed',
      { actor: `merchant:${shopId}`, keyId: keyOf(shopId) },
    ],
    ['money reported by another provider', 'payment-leg', { actor: 'provider:other' }],
    ['a terminal status set by another provider', 'payout-completed', { actor: 'provider:other' }],
    ['late money reported by another provider', 'late', { actor: 'provider:other' }],
    [
      'a credit posted by the merchant',
      'credit',
      { actor: `merchant:${shopId}`, keyId: keyOf(shopId) },
    ],
    ['a credit posted by the provider', 'credit', { actor: 'provider:sandbox' }],
    ['suspense posted by the provider', 'suspense', { actor: 'provider:sandbox' }],
    ['an adjustment posted by a service', 'adjusted', { actor: 'service:processor' }],
    ['an erasure completed by a service', 'erasure-erased', { actor: 'service:admin' }],
    ['a cancel by a service', 'cancelled', { actor: 'service:processor' }],
    ['an admission by a service', 'payment-admitted', { actor: 'service:processor' }],
    ['a reserve posted by the payer', 'reserve', { actor: 'payer:payment-page' }],
  ].map(([what, name, actor]): Plant => ({
    rule: 'authority.actor',
    what: what as string,
    plant: all(
      by(name as string, actor as { actor: string }),
      withReport(name as string, undefined),
    ),
  })),
  {
    rule: 'authority.actor',
    what: 'a payout declined by a provider that was never called',
    plant: after('payout-requested', {
      ...inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      actor: 'provider:other',
    }),
  },
  {
    rule: 'authority.token',
    what: 'an adjustment posted by an operator without a token id',
    plant: by('adjusted', { actor: 'operator:admin' }),
  },
  {
    rule: 'authority.role',
    what: 'a token issued by a service',
    plant: by('token', { actor: 'service:admin' }),
  },
  {
    rule: 'authority.role',
    what: 'a token issued by an unknown operator',
    plant: by('token', { actor: 'operator:mallory' }),
  },
  {
    rule: 'authority.role',
    what: 'a manual close by an operator',
    plant: after(
      'payment-leg',
      { ...issued, data: { ...issued.data, token_id: 't2', name: 'oleg', role: 'operator' } },
      {
        ...inOperation(payment, 'CloseDecided', { note: 'x' }),
        actor: 'operator:oleg',
        tokenId: 't2',
      },
    ),
  },
  {
    rule: 'authority.role',
    what: 'a statement requested by an auditor',
    plant: all(
      after('payment-leg', {
        ...issued,
        data: { ...issued.data, token_id: 't2', name: 'anna', role: 'auditor' },
      }),
      by('stated', { actor: 'operator:anna', tokenId: 't2' }),
    ),
  },
  {
    rule: 'authority.actor',
    what: 'a statement imported by a merchant',
    plant: by('stated', { actor: 'merchant:m' }),
  },
  {
    rule: 'authority.role',
    what: 'a token used under the name of another operator',
    plant: by('decided', { actor: 'operator:admin', tokenId: 't' }),
  },
  {
    rule: 'authority.role',
    what: 'a receipt decision with a token revoked long before',
    plant: all(
      by('decided', { actor: 'operator:n', tokenId: 't' }),
      after('token', {
        stream: 'operators',
        type: 'AdminTokenRevoked',
        data: { token_id: 't' },
        atMs: Date.parse('2026-01-30T12:00:00.000Z'),
      }),
    ),
  },
  {
    rule: 'authority.role',
    what: 'an operation admitted by an operator',
    plant: by('payment-admitted', { actor: 'operator:admin', tokenId: 'first' }),
  },
  {
    rule: 'authority.key',
    what: 'an API key of another shop',
    plant: by('payment-admitted', { actor: `merchant:${shopId}`, keyId: keyOf(otherShopId) }),
  },
  {
    rule: 'authority.key',
    what: 'another shop with its own API key',
    plant: by('payment-started', { actor: `merchant:${otherShopId}`, keyId: keyOf(otherShopId) }),
  },
  {
    rule: 'authority.key',
    what: 'an unknown API key',
    plant: by('payment-admitted', { actor: `merchant:${shopId}`, keyId: 'k' }),
  },
  {
    rule: 'authority.key',
    what: 'no API key',
    plant: by('payment-admitted', { actor: `merchant:${shopId}` }),
  },
  {
    rule: 'authority.key',
    what: 'no API key on an early cancel',
    plant: by('cancelled-first', { actor: `merchant:${shopId}` }),
  },
  {
    rule: 'authority.key',
    what: 'an API key revoked long before',
    plant: after('token', {
      stream: `shop-${shopId}`,
      type: 'ApiKeyRevoked',
      data: { key_id: keyOf(shopId) },
      atMs: Date.parse('2026-01-30T12:00:00.000Z'),
    }),
  },
  {
    rule: 'authority.token',
    what: 'an operator decision without a token id',
    plant: by('decided', { actor: 'operator:admin' }),
  },
  {
    rule: 'authority.token',
    what: 'an adjustment without a token id',
    plant: by('adjustment', { actor: 'operator:admin' }),
  },
  {
    rule: 'authority.payer',
    what: 'a payer on another page',
    plant: by('uploaded', { actor: 'payer:elsewhere' }),
  },
  {
    rule: 'authority.actor',
    what: 'an audit recorded by a payer',
    plant: by('audited', { actor: 'payer:payment-page' }),
  },
  {
    rule: 'authority.actor',
    what: 'a declined review by a payer',
    plant: by('reviewed-declined', { actor: 'payer:payment-page' }),
  },
  {
    rule: 'authority.member',
    what: 'an API key issued by a viewer',
    plant: by('members-key', { actor: 'member:vera' }),
  },
  {
    rule: 'authority.member',
    what: 'an API key issued by a non-member',
    plant: by('members-key', { actor: 'member:nobody' }),
  },
  {
    rule: 'authority.member',
    what: 'an API key of another shop issued by a member',
    plant: after('members-key', {
      stream: `shop-${otherShopId}`,
      actor: 'member:anna',
      type: 'ApiKeyIssued',
      data: { key_id: 'key-of-other', key_hash: 'h', label: 'l', hint: 'abcd' },
    }),
  },
  {
    rule: 'authority.member',
    what: 'an operator command by a member',
    plant: by('adjustment', { actor: 'member:anna' }),
  },
  {
    rule: 'authority.member',
    what: 'a command by a member removed long before',
    plant: after('vera-in', {
      stream: `members-${shopId}`,
      actor: 'operator:admin',
      tokenId: 'first',
      type: 'MemberRemoved',
      data: { member_id: 'anna' },
      atMs: Date.parse('2026-01-30T12:00:00.000Z'),
    }),
  },
  {
    rule: 'authority.member',
    what: 'a command in a session whose link was issued by a removed member',
    plant: (events) => {
      const removed = {
        stream: `members-${shopId}`,
        actor: 'operator:admin',
        tokenId: 'first',
        type: 'MemberRemoved',
        data: { member_id: 'vera' },
        atMs: Date.parse('2026-01-30T12:00:00.000Z'),
      };
      by('members-key', { linkIssuers: ['member:vera'] })(events);
      after('vera-in', removed)(events);
    },
  },
  {
    rule: 'authority.member',
    what: 'a sign-in that names another link issuer',
    plant: by('vera-in', { linkIssuers: ['operator:admin'] }),
  },
  {
    rule: 'authority.member',
    what: 'a sign-in link used twice',
    plant: again('vera-in'),
  },
  {
    rule: 'authority.member',
    what: 'a sign-in link used by another member',
    plant: change('vera-in', { link_hash: 'link-of-anna' }),
  },
  {
    rule: 'authority.second_member',
    what: 'a file confirmed by the member who uploaded it',
    plant: by('batch-checked', { actor: 'member:anna' }),
  },
  {
    rule: 'authority.second_member',
    what: 'a file confirmed with an API key',
    plant: (events) =>
      void Object.assign(events.get('batch-confirmed') as object, {
        ...ownKey,
        linkIssuers: undefined,
      }),
  },
  {
    rule: 'authority.second_member',
    what: 'a file confirmed by the issuer of the key that uploaded it',
    plant: by('batch-checked', { ...ownKey, keyId: 'key-of-anna' }),
  },
  {
    rule: 'authority.second_member',
    what: 'a file confirmed in a session whose link its uploader issued',
    plant: all(
      by('batch-checked', { actor: 'member:anna' }),
      by('batch-confirmed', { actor: 'member:boris', linkIssuers: ['member:anna'] }),
    ),
  },
  {
    rule: 'authority.second_member',
    what: 'a file that was never uploaded',
    plant: drop('batch-checked'),
  },
  {
    rule: 'setup.order',
    what: 'a member added twice',
    plant: again('vera-added'),
  },
  {
    rule: 'authority.amount',
    what: 'an approval by an operator of more than was expected',
    plant: all(
      after('token', {
        ...issued,
        data: { ...issued.data, token_id: 't2', name: 'oleg', role: 'operator' },
      }),
      by('approved-decided', { actor: 'operator:oleg', tokenId: 't2' }),
      change('approved-decided', { actual_amount: '999999999999.99' }),
    ),
  },
  {
    rule: 'operation.decided',
    what: 'more money counted than an operator approved',
    plant: change('approved-decided', { actual_amount: '10.00' }),
  },
  {
    rule: 'operation.decided',
    what: 'an approval without an amount',
    plant: (events) => void delete dataOf(events, 'approved-decided')['actual_amount'],
  },
  {
    rule: 'operation.decided',
    what: 'unreported money without a review',
    plant: (events) => {
      for (const leg of dataOf(events, 'payment-completed')['legs'] as Data[])
        leg['synthetic'] = true;
    },
  },
  {
    rule: 'operation.decided',
    what: 'unreported money while the payment is open',
    plant: change('payment-leg', {
      leg: { ...lateLeg, leg_id: 'l1', amount: '40.00', synthetic: true },
    }),
  },
  {
    rule: 'operation.decided',
    what: 'a declined review that counts money',
    plant: (events) =>
      void Object.assign(events.get('reviewed-declined') as object, {
        type: 'OperationPartiallyCompleted',
        data: {
          actual_amount: '60.00',
          recorded_amount: '60.00',
          settlement_amount: '58.50',
          commission_amount: '1.50',
          legs: [{ ...lateLeg, leg_id: 'd1', amount: '60.00' }],
        },
      }),
  },
  {
    rule: 'authority.decision',
    what: 'a completion by an operator without a decision',
    plant: by('payment-completed', { actor: 'operator:admin', tokenId: 'first' }),
  },
  {
    rule: 'authority.decision',
    what: 'a terminal status by another operator than the one who decided',
    plant: by('approved-completed', { actor: 'operator:n', tokenId: 't' }),
  },
  {
    rule: 'report.signature',
    what: 'a callback other than the one that the provider signed',
    plant: withReport(
      'payment-leg',
      storedCallback(payment, signedReport, {
        said: { ...signedReport, legs: [signedLeg('l1', '4.00')] },
      }),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a callback signed by another account with the provider',
    plant: all(
      after('token', accountAdded),
      withReport('payment-leg', storedCallback(payment, signedReport, { secret: otherSecret })),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a callback signed by the default account for an attempt at another',
    plant: all(after('token', accountAdded), atAccount),
  },
  {
    rule: 'report.signature',
    what: 'a stored callback that was altered',
    plant: (events) => {
      const kept = storedCallback(payment, signedReport);
      const end = kept.sealed.endsWith('AA') ? 'BB' : 'AA';
      withReport('payment-leg', { ...kept, sealed: `${kept.sealed.slice(0, -2)}${end}` })(events);
    },
  },
  {
    rule: 'report.signature',
    what: 'a callback stored with another timestamp',
    plant: withReport('payment-leg', {
      ...storedCallback(payment, signedReport),
      timestamp: '1769860000',
    }),
  },
  {
    rule: 'report.signature',
    what: 'a callback of another operation',
    plant: withReport(
      'payment-leg',
      storedCallback(payment, { ...signedReport, operation_id: payout }),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a callback sealed for another operation',
    plant: withReport('payment-leg', storedCallback(payout, signedReport)),
  },
  {
    rule: 'report.signature',
    what: 'a leg of another amount than the provider signed',
    plant: change('payment-leg', { leg: { ...lateLeg, leg_id: 'l1', amount: '41.00' } }),
  },
  {
    rule: 'report.signature',
    what: 'a terminal status with a leg that the provider did not sign',
    plant: all(
      by('payment-completed', { actor: 'provider:sandbox' }),
      withReport('payment-completed', storedCallback(payment, signedReport)),
    ),
  },
  {
    rule: 'report.signature',
    what: 'late money of another amount than the provider signed',
    plant: all(
      by('late', sandbox),
      withReport('late', storedCallback(payment, lateReport('0.01'))),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a late status that the provider did not sign',
    plant: after('late', {
      stream: `late-${payment}`,
      type: 'LateStatusReported',
      data: { ...aboutLate, reported_status: 'declined', operation_status: 'completed' },
      ...sandbox,
      report: storedCallback(payment, lateReport('5.00')),
    }),
  },
  {
    rule: 'report.signature',
    what: 'a late correction that the provider did not sign',
    plant: after('late', {
      stream: `late-${payment}`,
      type: 'LateLegCorrected',
      data: {
        ...aboutLate,
        currency: 'RUB',
        leg_id: 'l3',
        counted_amount: '5.00',
        reported_amount: '4.00',
        report_version: 2,
      },
      ...sandbox,
      report: storedCallback(payment, lateReport('5.00')),
    }),
  },
  {
    rule: 'report.signature',
    what: 'a correction that the provider did not sign',
    plant: after('payment-leg', {
      ...inOperation(payment, 'LegCorrected', correction('l1', '40.00', 2)),
      ...sandbox,
      report: storedCallback(payment, signedReport),
    }),
  },
  {
    rule: 'report.signature',
    what: 'a partial completion where the provider signed an open status',
    plant: withReport(
      'payout-completed',
      storedCallback(payout, {
        ...signedReport,
        operation_id: payout,
        legs: [{ leg_id: 'p1', amount: '50.00' }],
      }),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a decline where the provider signed a completed status',
    plant: after('payment-started', {
      ...inOperation(payment, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      ...sandbox,
      report: storedCallback(payment, { ...signedReport, status: 'completed' }),
    }),
  },
  ...[
    { fx_rate: '0.012501' },
    { expires_at: '2031-01-31T12:30:00.000Z' },
    { provider_reference: 'another' },
  ].map((said): Plant => ({
    rule: 'report.signature',
    what: `an acceptance with ${JSON.stringify(said)}, which the provider did not sign`,
    plant: acceptedBySignature(said),
  })),
  {
    rule: 'report.signature',
    what: 'money at another FX rate than the provider signed',
    plant: all(
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
  },
  ...[
    ['a leg', 'payment-leg'],
    ['a leg of a terminal status', 'payout-completed'],
    ['late money', 'late'],
    ['confirmed money', 'confirmed'],
    ['returned money', 'returned'],
  ].map(([what, name = '']): Plant => ({
    rule: 'report.signature',
    what: `${what} on another day than the provider signed`,
    plant: signedOnAnotherDay(name),
  })),
  {
    rule: 'report.signature',
    what: 'an attempt other than the one that the provider signed',
    plant: withReport('payment-leg', storedCallback(payment, { ...signedReport, attempt: 2 })),
  },
  {
    rule: 'report.signature',
    what: 'a terminal status with a leg that the provider did not sign, in one append',
    plant: by('payment-completed', sandbox),
  },
  {
    rule: 'report.signature',
    what: 'a missing callback of a client who was not erased',
    plant: withReport('payment-leg', {
      ...storedCallback(payment, signedReport),
      sealed: undefined,
    }),
  },
  {
    rule: 'report.signature',
    what: 'a provider report without a callback',
    plant: withReport('payout-completed', undefined),
  },
  {
    rule: 'report.signature',
    what: 'a callback of one provider under the name of another',
    plant: by('payment-leg', { actor: 'provider:other' }),
  },
  {
    rule: 'log.metadata',
    what: 'a callback attributed to a service',
    plant: by('payment-leg', { actor: 'service:processor' }),
  },
  {
    rule: 'log.metadata',
    what: 'a callback with an additional signature',
    plant: withReport('payment-leg', {
      ...storedCallback(payment, signedReport),
      signature: 'v1,AAAA',
    }),
  },
  {
    rule: 'log.metadata',
    what: 'a callback stored with an event of no operation',
    plant: all(
      by('credit', { actor: 'provider:sandbox' }),
      withReport('credit', storedCallback(payment, signedReport)),
    ),
  },
  {
    rule: 'personal.in_clear',
    what: 'a callback',
    plant: withReport('payment-leg', {
      ...storedCallback(payment, signedReport),
      sealed: JSON.stringify(signedReport),
    }),
  },
  {
    rule: 'personal.key_missing',
    what: 'a callback sealed with an unknown key',
    plant: withReport('payment-leg', {
      ...storedCallback(payment, signedReport),
      sealed: sealedWith('c'.repeat(22)),
    }),
  },
  ...[
    { lines: 3 },
    { total_in: '100.01' },
    { total_out: '50.00' },
    { closing_balance: '49.01' },
    { import: 2 },
    { digest: 'f'.repeat(64) },
  ].map((changed): Plant => ({
    rule: 'statement.whole',
    what: `an import with a wrong ${JSON.stringify(changed)}`,
    plant: change('stated', changed),
  })),
  {
    rule: 'statement.whole',
    what: 'an import with missing lines',
    plant: drop('stated-lines'),
  },
  { rule: 'statement.whole', what: 'an import completed twice', plant: again('stated') },
  {
    rule: 'statement.whole',
    what: 'an import with duplicate lines',
    plant: again('stated-lines'),
  },
  ...[
    'fee:f2',
    'fee:',
    'fee',
    'other:f1',
    'duplicate_line:f1:x',
    'not_in_statement:l9',
    'not_in_statement@nobody:l1',
    'fee@nobody:f1',
    'fee@:',
    'ledger_differs:nobody',
  ].map((id): Plant => ({
    rule: 'statement.closed',
    what: `the close of a finding ${id} that did not exist`,
    plant: change('fee-closed', {
      finding_id: id,
      ...(/^(not|ledger)_/.test(id) && { finding: id.split(/[:@]/)[0] }),
    }),
  })),
  {
    rule: 'statement.closed',
    what: 'the close of a balance finding without imported balances',
    plant: all(
      (events) => {
        for (const name of ['opening_balance', 'closing_balance'])
          delete dataOf(events, 'stated')[name];
      },
      change('fee-closed', { finding_id: 'balance_differs', finding: 'balance_differs' }),
    ),
  },
  {
    rule: 'statement.books',
    what: 'a credit of another amount than the payment counts',
    plant: change('credit', {
      legs: legs({ provider: '-90.00', balance: '87.50', commission: '2.50' }),
    }),
  },
  {
    rule: 'statement.books',
    what: 'a capture of another amount than the payout counts',
    plant: change('capture', {
      legs: legs({ reserved: '-102.50', provider: '40.00', commission: '1.25', balance: '61.25' }),
    }),
  },
  {
    rule: 'statement.books',
    what: 'a leg that the credit does not have',
    plant: change('payment-leg', { leg: { ...lateLeg, leg_id: 'l1', amount: '41.00' } }),
  },
  {
    rule: 'statement.closed',
    what: 'the close of a finding with another amount than any line',
    plant: change('fee-closed', { amount: '2.00' }),
  },
  {
    rule: 'statement.closed',
    what: 'the close of a finding on a day without an import',
    plant: drop('stated'),
  },
  {
    rule: 'personal.erasure',
    what: 'an erasure that is never completed',
    plant: drop('erasure-erased'),
  },
  {
    rule: 'tree.root',
    what: 'a signed root of other entries',
    written: (log) => signLog(log, shopId, { change: { root: 'A'.repeat(43) } }),
  },
  {
    rule: 'tree.size',
    what: 'a signed size beyond the number of entries',
    written: (log) => signLog(log, shopId, { change: { tree_size: 1_000 } }),
  },
  {
    rule: 'tree.size',
    what: 'a size signed twice',
    written: (log) => signLog(log, shopId, { times: 2 }),
  },
  {
    rule: 'tree.signature',
    what: 'a wrong signature',
    written: (log) => signLog(log, shopId, { change: { signature: 'A'.repeat(86) } }),
  },
  {
    rule: 'tree.signature',
    what: 'a signing key that is in no event',
    written: (log) => signLog(log, shopId, { keys: [] }),
  },
  {
    rule: 'tree.signature',
    what: 'a signature from before the key was valid',
    written: (log) => signLog(log, shopId, { change: { signed_at: '2026-01-31T11:00:00.000Z' } }),
  },
  {
    rule: 'tree.key',
    what: 'a duplicate key id',
    written: (log) => signLog(log, shopId, { keys: [addedKey, addedKey] }),
  },
  {
    rule: 'personal.erasure',
    what: 'an erasure that no operator requested',
    plant: by('erasure-requested', { actor: 'service:admin' }),
  },
];

function write(plant: Pick<Plant, 'plant' | 'written'> = {}): RawEvent[] {
  const events = validLog();
  plant.plant?.(events);
  const log = createLog();
  // `operation-` without an id means the stream of the preceding event.
  let last = '';
  for (const event of events.values()) {
    const stream = event.stream === 'operation-' ? last : event.stream;
    log.append({ ...event, stream });
    last = stream;
  }
  plant.written?.(log.events);
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
    const written = (log: RawEvent[]) => signLog(log, shopId);
    const events = write({ written });
    expect(events.filter(({ type }) => type === 'CheckpointSigned')).toHaveLength(1);
    expect((await auditLog(events, { inMemory })).findings).toEqual([]);
  },
);

it.each([1, 1_000])(
  'reports the status of each stored callback (%i in memory)',
  async (inMemory) => {
    const counted = async (plant: Plant['plant'], reportKeys = auditorKeys) => {
      const events = write({ ...(plant && { plant }) });
      const { findings, reports } = await auditLog(events, { inMemory, reportKeys });
      expect(findings).toEqual([]);
      return Object.fromEntries(Object.entries(reports).filter(([, value]) => value !== 0));
    };
    const both = { stored: 2, erased: 1, tried: true, missingSecrets: [] };
    expect(await counted(undefined)).toEqual({ ...both, verified: 1 });
    const hint = storedCallback(payment, signedReport, { secret: otherSecret }).secret_hint;
    const earlier = withReport(
      'payment-leg',
      storedCallback(payment, signedReport, { secret: otherSecret }),
    );
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
    const masters = {
      unwrap: () => {
        throw new Error('no master key');
      },
    };
    expect(await counted(undefined, { ...auditorKeys, masters })).toEqual({
      ...both,
      no_master_key: 1,
    });
    // The callback of a client who was already erased is stored without its content.
    const { sealed: _, ...bare } = storedCallback(payout, {});
    expect(await counted(all(erasedFirst, withReport('payout-completed', bare)))).toEqual({
      ...both,
      verified: 1,
    });
    // If the client's key could not be read on receipt, the callback is not counted as erased.
    const { sealed: _sealed, ...unread } = storedCallback(payment, signedReport);
    expect(
      await counted(withReport('payment-leg', { ...unread, unsealed: 'key_unreadable' })),
    ).toEqual({
      ...both,
      not_read: 1,
    });
    // The stream of an erased client's key may or may not have been scavenged.
    const cleaned = all(drop('erased-key'), drop('erasure-retired'));
    expect(await counted(cleaned)).toEqual({ ...both, verified: 1 });
  },
);

it('counts callbacks without verifying them if it has no keys', async () => {
  const { findings, reports } = await auditLog(write());
  expect(findings).toEqual([]);
  expect(reports).toMatchObject({ stored: 2, erased: 1, not_read: 1, verified: 0, tried: false });
});

it.each(plants)(
  'reports $rule: $what (R12.1, R18.2, R18.8, R18.10, R18.12, R18.14, R18.15, R21.8, R22.13, R22.16)',
  async (plant) => {
    const events = write(plant);
    for (const inMemory of [1, 1_000]) {
      const { findings } = await auditLog(events, { inMemory, reportKeys: auditorKeys });
      const named = findings.filter(({ rule }) => rule === plant.rule);
      expect(findings.map(({ rule }) => rule)).toContain(plant.rule);
      expect(named[0]?.stream).not.toBe('');
      expect(named[0]?.message).not.toBe('');
    }
  },
);

it('has a violation for every rule of the log (R18.2)', () => {
  const elsewhere = /^(webhook|read_model|checkpoint)\./;
  const planted = new Set(plants.map(({ rule }) => rule));
  expect(ruleCodes.filter((code) => !elsewhere.test(code) && !planted.has(code))).toEqual([]);
});

it('accepts a destroyed key whose stream was scavenged', async () => {
  const cleaned = (events: NamedEvents) => all(drop('erased-key'), drop('erasure-retired'))(events);
  const events = write({ plant: cleaned });
  expect(events.filter(({ stream }) => stream === `personal-key-${erasedKey}`)).toHaveLength(1);
  expect((await auditLog(events)).findings).toEqual([]);
});

it('judges an operation of an older version by the rules of that version', async () => {
  const asOlderVersion = (events: NamedEvents) => {
    for (const name of ['confirmed-rest', 'excess', 'excess-suspense']) drop(name)(events);
    Object.assign(events.get('approved-admitted') as object, { schemaVersion: 2 });
    change('approved-admitted', { body_hash: 'hash' })(events);
    // Withdrawn after its approval, so its money was late.
    after('approved-completed', inOperation(approved, 'AttemptWithdrawn', { attempt: 1 }))(events);
    Object.assign(events.get('confirmed') as object, {
      type: 'LateMoneyReceived',
      schemaVersion: 1,
    });
    // Accepted without requisites.
    Object.assign(events.get('payment-admitted') as object, { schemaVersion: 2 });
    change('payment-admitted', { body_hash: 'hash' })(events);
    delete dataOf(events, 'payment-accepted')['requisites'];
  };
  const { findings } = await auditLog(write({ plant: asOlderVersion }));
  // That money is not in suspense in this log.
  expect(findings.filter(({ rule }) => rule !== 'late.suspense_missing')).toEqual([]);
});

it('counts events older than key and token ids separately', async () => {
  const nobody = { actor: 'operator:admin' };
  const unnamed = (...names: string[]) => all(...names.map((name) => by(name, nobody)));
  const before = all(
    unnamed('setup-1', 'setup-2'),
    by('payment-admitted', { actor: `merchant:${shopId}` }),
    change('payment-admitted', { body_hash: 'hash' }),
    (events) => void Object.assign(events.get('payment-admitted') as object, { schemaVersion: 2 }),
    // Within a day, an instance of the older version may still be running.
    unnamed('adjustment'),
  );
  const sound = await auditLog(write({ plant: before }));
  expect(sound.findings).toEqual([]);
  expect(sound.notes).toContain(
    '4 events of merchants and operators are older than the ids of keys and tokens',
  );
  const later = all(before, (events) =>
    Object.assign(events.get('adjustment') as object, {
      atMs: Date.parse('2026-02-02T12:00:00.000Z'),
    }),
  );
  const { findings } = await auditLog(write({ plant: later }));
  expect(findings.map(({ rule }) => rule)).toContain('authority.token');
});

it('accepts a provider’s statement requested by an operator (R22.13)', async () => {
  const operator = { actor: 'operator:admin', tokenId: 'first' };
  const plant = all(by('stated-lines', operator), by('stated', operator));
  const { findings } = await auditLog(write({ plant }));
  expect(findings).toEqual([]);
});

it('accepts the leg id of a return that an older version prefixed with its attempt', async () => {
  const older = (events: NamedEvents) => {
    change('returned', { of_leg_id: '1:m1' })(events);
    Object.assign(events.get('returned') ?? {}, { schemaVersion: 1 });
    // Resolved by the current version.
    change('returned-suspense', { of_leg_id: '1:m1' })(events);
  };
  const events = write({ plant: older });
  const { findings } = await auditLog(events);
  expect(findings).toEqual([]);
});

it('counts confirmed lines, open findings and closed findings (R22.13)', async () => {
  const noted = async (plant?: Plant['plant']) => {
    const events = write({ ...(plant && { plant }) });
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
  const leg = { leg: { ...lateLeg, leg_id: 'l1', amount: '41.00' } };
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
  const noted = async (plant?: Plant['plant'], ofShop?: string) => {
    const events = write({ ...(plant && { plant }) });
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
  const expired = all(expiredAtOnce(undefined), (events) =>
    Object.assign(dataOf(events, 'reviewed-accepted+0'), { report_version: 2 }),
  );
  expect(await noted(expired, shopId)).toBe(
    said(money, `1 ends without money: ${reviewed}`, late(...of)),
  );
  const difference = after('late', {
    stream: `late-${payment}`,
    type: 'DifferenceReported',
    data: {
      ...aboutLate,
      currency: 'RUB',
      of: 'transfer',
      corrects: 'l3',
      leg: { leg_id: 'l3:corrected-1', amount: '-1.00', completed_at: lateLeg.completed_at },
      counted_amount: '5.00',
      reported_amount: '4.00',
    },
  });
  expect(await noted(difference, shopId)).toBe(said(money, late(...of, ...of)));
  // Decided by an operator, but at the FX rate of the provider.
  const rate = change('approved-accepted', { fx_rate: '0.012500' });
  expect(await noted(rate, otherShopId)).toBe(
    said(`1 ends with money: ${approved}`, late(...ofOther)),
  );
});

it('defers an entry that became due a moment ago', async () => {
  const events = write({ plant: drop('capture') });
  const nowMs = Date.parse('2026-01-31T12:00:10.000Z');
  const { findings, inFlight } = await auditLog(events, { nowMs });
  expect(findings).toEqual([]);
  expect(inFlight).toBe(1);
});

it('does not report an open payment as overdue before its window ends', async () => {
  const plant = (events: NamedEvents) => {
    const names = [...events.keys()];
    for (const name of names.slice(names.indexOf('payment-leg'))) events.delete(name);
    change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' })(events);
  };
  const events = write({ plant });
  const as = (time: string) => auditLog(events, { nowMs: Date.parse(time) });
  expect(await as('2026-01-31T12:00:10.000Z')).toMatchObject({ findings: [], inFlight: 0 });
  expect(await as('2026-01-31T15:00:10.000Z')).toMatchObject({ findings: [], inFlight: 1 });
  expect((await as('2026-01-31T15:00:31.000Z')).findings).toMatchObject([
    { rule: 'operation.overdue' },
  ]);
});
