import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { rowOf } from '#shared/application/statements/import.ts';
import type { StoredLine } from '#shared/domain/statements/events.ts';
import { newId } from '#shared/platform/ids.ts';
import { ruleCodes, type RuleCode } from '#shared/domain/audit/rules.ts';
import type { LogEvent } from './log/log-event.ts';
import { auditLog } from './testing/audit-log.ts';
import {
  auditorKeys,
  erasedKey,
  keptCallback,
  keptKey,
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
  soundLog,
  switchOf,
  type NamedEvents,
} from './testing/sound-log.ts';

/** What is planted: a change of the events before they are written, or of the log once it is. */
type Plant = {
  rule: RuleCode;
  what: string;
  plant?(events: NamedEvents): void;
  written?(log: LogEvent[]): void;
};

type Data = Record<string, unknown>;
const dataOf = (events: NamedEvents, name: string): Data => {
  const event = events.get(name);
  if (!event) throw new Error(`no event ${name}`);
  return event.data as Data;
};
const change = (name: string, more: Data) => (events: NamedEvents) =>
  void Object.assign(dataOf(events, name), more);
/** The erasure of a client is asked for before its operation ends. */
const erasedFirst = (events: NamedEvents): void => {
  const asked = events.get('erasure-requested') as NewLogEvent;
  drop('erasure-requested')(events);
  after('erased-key', asked)(events);
};
const by =
  (name: string, who: Pick<NewLogEvent, 'actor' | 'tokenId' | 'keyId' | 'linkIssuers'>) =>
  (events: NamedEvents): void => {
    const event = events.get(name);
    if (!event) throw new Error(`no event ${name}`);
    Object.assign(event, who);
  };
/** What an event is said to have come of. */
const came =
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
/** The shops have such a route for payments, too. */
const hasRoute = (more: Data) => (events: NamedEvents) => {
  for (const { type, data } of events.values())
    if (type === 'RoutesReplaced')
      (data as { routes: object[] }).routes.push(testRoute('payment', more));
};
/** The payment goes by it. */
const atAccount = changeRoute('payment-started', { account: 'second' });
const legs = (given: Record<string, string>) =>
  Object.entries(given).map(([account, amount]) => ({ account, amount }));
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
  settings: {
    name: 'shop',
    hosted_page: true,
    overdraft_limits: { RUB },
    rate_limit: { per_second: 1, burst: 1 },
  },
});
const request = { client_id: 'client', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' };
const lateLeg = { completed_at: '2026-01-31T12:01:00.000Z', file: true };
const goneBack = {
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
/** The reviewed payment converts, and its provider's callback accepts it. */
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
    came(
      'reviewed-accepted',
      keptCallback(reviewed, {
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
const lateTold = (amount: string) => ({
  ...signedReport,
  status: 'completed',
  legs: [signedLeg('l1', '40.00'), signedLeg('l2', '60.00'), signedLeg('l3', amount)],
});
/** The reviewed payment expires instead, where the payment's provider numbered its report. */
const expiredAtOnce = (expires_at: string | undefined) =>
  all(
    change('payment-leg', { report_version: 1 }),
    change('reviewed-accepted', { expires_at }),
    after('reviewed-accepted', inOperation(reviewed, 'OperationExpired', noMoney)),
    ...['uploaded', 'checked', 'decided', 'reviewed-declined', 'reviewed-withdrawn'].map(drop),
  );
/** The named event says of its money that it moved a day earlier than its provider signed. */
const signedOnAnotherDay =
  (name: string) =>
  (events: NamedEvents): void => {
    const { stream, data } = events.get(name) as NewLogEvent & { data: Data };
    const id = stream.slice(stream.indexOf('-') + 1);
    const [leg] = (data['legs'] ?? [data['leg']]) as [Data];
    const signed = { ...leg, of_leg_id: data['of_leg_id'] };
    const said = name === 'returned' ? { returns: [signed] } : { legs: [signed] };
    const attempt = { operation_id: id, attempt: 1, status: 'partially_completed', legs: [] };
    by(name, sandbox)(events);
    came(name, keptCallback(id, { ...attempt, ...said }))(events);
    Object.assign(leg, { completed_at: '2026-01-30T12:01:00.000Z' });
  };
const find = (log: LogEvent[], type: string): LogEvent =>
  log.find((event) => event.type === type) as LogEvent;

const plants: readonly Plant[] = [
  {
    rule: 'log.position_order',
    what: 'an event before its place',
    written: (log) => (find(log, 'ShopCreated').position = 1),
  },
  {
    rule: 'log.revision_gap',
    what: 'a revision is left out',
    written: (log) => (find(log, 'LegReceived').revision = 9),
  },
  {
    rule: 'log.duplicate_event_id',
    what: 'one id twice',
    written: (log) => (find(log, 'LegReceived').id = find(log, 'ShopCreated').id),
  },
  {
    rule: 'log.undecodable',
    what: 'content of no schema',
    plant: change('payment-leg', { leg: { leg_id: 7 } }),
  },
  {
    rule: 'log.undecodable',
    what: 'a type that nobody knows',
    plant: after('payment-leg', inOperation(payment, 'OperationBlessed', {})),
  },
  {
    rule: 'log.undecodable',
    what: 'bytes that are no JSON',
    written: (log) => (find(log, 'LegReceived').data = Buffer.from('{')),
  },
  {
    rule: 'log.undecodable',
    what: 'a stream of no kind',
    plant: after('token', { stream: 'secrets', type: 'Told', data: {} }),
  },
  {
    rule: 'log.newer_version',
    what: 'an admission of a version from the future',
    plant: (events) =>
      void Object.assign(events.get('payment-admitted') ?? {}, { schemaVersion: 99 }),
  },
  {
    rule: 'log.metadata',
    what: 'nobody acted',
    written: (log) =>
      (find(log, 'LegReceived').metadata = Buffer.from(
        '{"correlation_id":"c","schema_version":1}',
      )),
  },
  {
    rule: 'log.wrong_stream',
    what: "another operation's admission",
    plant: change('payment-admitted', { operation_id: payout }),
  },
  {
    rule: 'log.wrong_stream',
    what: "another shop's entry",
    plant: change('adjusted', { shop_id: 'shop-2' }),
  },
  {
    rule: 'log.truncated',
    what: 'a ledger that ages out',
    plant: after('token', {
      stream: `$$ledger-${shopId}-RUB`,
      type: '$metadata',
      data: { $maxAge: 60 },
    }),
  },
  {
    rule: 'operation.admission_first',
    what: 'an attempt before the admission',
    plant: after('token', inOperation(newId(), 'AttemptWithdrawn', { attempt: 1 })),
  },
  {
    rule: 'operation.admission_first',
    what: 'a second admission',
    plant: again('payment-admitted'),
  },
  {
    rule: 'operation.unknown_shop',
    what: 'a shop that nobody set up',
    plant: change('payment-admitted', { shop_id: 'shop-9' }),
  },
  {
    rule: 'operation.id',
    what: 'an id that is not made of its name',
    plant: change('payment-admitted', { merchant_operation_id: 'order-9' }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'money for an attempt that was never accepted',
    plant: change('payment-leg', { attempt: 2 }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an acceptance without an attempt',
    plant: drop('payment-started'),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'a review that is followed by no end',
    plant: after('decided', inOperation('', 'ManualCheckStarted', { receipt_id: 'u1' })),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'a close by hand that is followed by no end',
    plant: after('payment-leg', inOperation(payment, 'CloseDecided', { note: 'x' })),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'a decline by a close that nobody decided',
    plant: change('reviewed-declined', { reason: 'close' }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an acceptance at a rate that leaves nothing',
    plant: (events) => {
      Object.assign(dataOf(events, 'payment-started')['route'] as Data, { conversion });
      Object.assign(dataOf(events, 'payment-accepted'), { fx_rate: '0.000049' });
    },
  },
  {
    rule: 'operation.second_end',
    what: 'another end',
    plant: after('payment-completed', inOperation(payment, 'OperationExpired', noMoney)),
  },
  {
    rule: 'operation.event_after_end',
    what: 'money after the end',
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
    what: 'requisites for a payment that was cancelled first',
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
    what: 'a payout declined on a timeout',
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
  { rule: 'operation.legs', what: 'legs that add up to less', plant: drop('payment-leg') },
  {
    rule: 'operation.end_kind',
    what: 'completed with too little',
    plant: change('payment-admitted', {
      request: { client_id: 'c', method: 'WT_RUB_C2C', amount: '100.01', currency: 'RUB' },
    }),
  },
  {
    rule: 'operation.figures',
    what: 'a commission rounded down',
    plant: change('payment-completed', { commission_amount: '2.49', settlement_amount: '97.51' }),
  },
  {
    rule: 'operation.figures',
    what: 'recorded without money',
    plant: change('cancelled', { recorded_amount: '0.00' }),
  },
  {
    rule: 'operation.reserved_amount',
    what: 'funds asked for without commission',
    plant: change('payout-requested', { amount: '100.00' }),
  },
  ...[
    ['a window that ends in 2031', '2031-01-31T12:30:00.000Z'],
    ['no window', undefined],
  ].map(([window, expires]): Plant => ({
    rule: 'operation.expired_early',
    what: `expired at once, with ${window}, of a provider that numbers its reports`,
    plant: expiredAtOnce(expires),
  })),
  {
    rule: 'operation.reserved_amount',
    what: 'a route at 90 % goes by the funds of one at 2.50 %',
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
      // At 90 %, and no more than was set aside.
      came('payout-completed', undefined),
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
    what: 'a create that nobody ends',
    plant: all(
      drop('payment-completed'),
      drop('payment-accepted'),
      drop('payment-leg'),
      drop('credit'),
    ),
  },
  {
    rule: 'operation.overdue',
    what: 'a window that ended long ago',
    plant: all(
      drop('payment-completed'),
      drop('payment-leg'),
      change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' }),
    ),
  },
  {
    rule: 'ledger.unbalanced',
    what: 'money from nowhere',
    plant: change('credit', {
      legs: legs({ provider: '-100.00', balance: '97.50', commission: '2.60' }),
    }),
  },
  {
    rule: 'ledger.legs',
    what: 'an account twice',
    plant: change('adjusted', {
      legs: [...legs({ balance: '9.00' }), ...legs({ balance: '1.00', external: '-10.00' })],
    }),
  },
  {
    rule: 'ledger.legs',
    what: 'an account of another kind',
    plant: change('adjusted', { legs: legs({ balance: '10.00', suspense: '-10.00' }) }),
  },
  {
    rule: 'ledger.totals',
    what: 'totals that are off',
    plant: change('capture', {
      legs: legs({ reserved: '-102.50', provider: '50.00', balance: '51.25' }),
    }),
  },
  {
    rule: 'ledger.position',
    what: 'a balance that does not follow',
    plant: change('credit', { balance_after: '107.51' }),
  },
  {
    rule: 'ledger.reserved_negative',
    what: 'more released than was set aside',
    plant: all(change('capture', { reserved_after: '-0.01' })),
  },
  {
    rule: 'ledger.floor',
    what: 'a reserve below the limit',
    plant: all(
      change('resolution', { balance_after: '100.00' }),
      after('token', {
        stream: `shop-${shopId}`,
        type: 'ShopChanged',
        data: limits('2.49'),
        // Long before the payout: a request goes by the settings of its beginning.
        atMs: Date.parse('2026-01-31T11:59:00.000Z'),
      }),
    ),
  },
  { rule: 'ledger.posted_twice', what: 'a second credit', plant: again('credit') },
  { rule: 'ledger.posted_twice', what: 'late money in suspense twice', plant: again('suspense') },
  { rule: 'ledger.posted_twice', what: 'an adjustment twice', plant: again('adjusted') },
  { rule: 'ledger.not_owed', what: 'a credit before the end', plant: drop('payment-completed') },
  {
    rule: 'ledger.not_owed',
    what: 'a release while the payout goes on',
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
    what: 'an adjustment that nobody asked for',
    plant: all(drop('adjustment'), drop('adjustment-noted')),
  },
  { rule: 'ledger.reservation_end', what: 'a second capture', plant: again('capture') },
  {
    rule: 'ledger.reservation_end',
    what: 'a capture of less than was set aside',
    plant: change('capture', {
      legs: legs({ reserved: '-102.00', provider: '50.00', commission: '1.25', balance: '50.75' }),
    }),
  },
  {
    rule: 'reservation.amount',
    what: 'less set aside than requested',
    plant: change('reserve', { legs: legs({ balance: '-100.00', reserved: '100.00' }) }),
  },
  { rule: 'reservation.not_made', what: 'dispatched before the reserve', plant: drop('reserve') },
  {
    rule: 'reservation.not_closed',
    what: 'funds that stay set aside',
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
    what: 'a credit without commission',
    plant: change('credit', { legs: legs({ provider: '-100.00', balance: '100.00' }) }),
  },
  {
    rule: 'late.unknown',
    what: 'late money of an attempt that never was',
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
    what: 'a leg is corrected from another amount',
    plant: after('payment-leg', inOperation(payment, 'LegCorrected', correction('l1', '41.00', 2))),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an older report is taken after a newer one',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegCorrected', correction('l1', '40.00', 3)),
      inOperation(payment, 'LegCorrected', correction('l1', '1.00', 2)),
    ),
  },
  {
    rule: 'late.unknown',
    what: 'a correction of a transfer that stands with another amount',
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
    what: 'a payment is accepted without requisites',
    plant: (events) => void delete dataOf(events, 'payment-accepted')['requisites'],
  },
  {
    rule: 'late.approved',
    what: 'money that was approved counts as late',
    plant: (events) =>
      void Object.assign(events.get('confirmed') as object, { type: 'LateMoneyReceived' }),
  },
  {
    rule: 'late.approved',
    what: 'more is confirmed than was approved',
    plant: change('confirmed-rest', { leg: { ...lateLeg, leg_id: 'm2', amount: '40.01' } }),
  },
  {
    rule: 'operation.illegal_transition',
    what: 'an attempt is withdrawn after an approval',
    plant: after('approved-completed', inOperation(approved, 'AttemptWithdrawn', { attempt: 1 })),
  },
  {
    rule: 'late.overcharge',
    what: 'a payout that cost what was agreed is said to have cost more',
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
    what: 'more goes back than came, and nobody is told',
    plant: (events) => void delete dataOf(events, 'returned')['beyond'],
  },
  {
    rule: 'late.returned',
    what: 'more is said to go back than the leg had brought',
    plant: (events) => {
      const ended = { atMs: Date.parse('2026-01-31T11:58:00.000Z') };
      Object.assign(events.get('approved-completed') as object, ended);
      change('returned', { beyond: '10.01' })(events);
    },
  },
  {
    rule: 'late.returned',
    what: 'the merchant is told another total than went back',
    plant: change('returned', { total: '60.00' }),
  },
  {
    rule: 'late.returned',
    what: 'the merchant is not told of what went back long after the end',
    plant: (events) => {
      const ended = { atMs: Date.parse('2026-01-31T11:58:00.000Z') };
      Object.assign(events.get('approved-completed') as object, ended);
      delete dataOf(events, 'returned')['total'];
    },
  },
  {
    rule: 'late.returned',
    what: 'a payment that is returned',
    plant: change('returned', { kind: 'returned' }),
  },
  {
    rule: 'late.returned',
    what: 'what went back before the end and beyond its leg is nowhere',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegReturned', { ...goneBack, counted: '40.00' }),
    ),
  },
  {
    rule: 'late.unknown',
    what: 'what went back is changed from another amount than it had',
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
  { rule: 'late.twice', what: 'money goes back twice by one name', plant: again('returned') },
  {
    rule: 'operation.illegal_transition',
    what: 'less goes back than its leg counts less',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegReturned', { ...goneBack, counted: '39.00' }),
    ),
  },
  {
    rule: 'operation.legs',
    what: 'what went back before the end is counted all the same',
    plant: after(
      'payment-leg',
      inOperation(payment, 'LegReturned', {
        ...goneBack,
        returned: { ...goneBack.returned, amount: '40.00' },
        counted: '40.00',
      }),
    ),
  },
  {
    rule: 'ledger.not_owed',
    what: 'an entry on what went back of another leg',
    plant: change('returned-suspense', { of_leg_id: 'm2' }),
  },
  {
    rule: 'late.suspense_missing',
    what: 'what went back and nobody keeps',
    plant: all(drop('returned-suspense'), drop('returned-resolution')),
  },
  {
    rule: 'late.suspense_amounts',
    what: 'what went back stands in suspense as if it had come',
    plant: change('returned-suspense', { legs: legs({ provider: '-70.00', suspense: '70.00' }) }),
  },
  {
    rule: 'late.resolution',
    what: 'what was charged back is credited to the shop',
    plant: change('returned-resolution', { resolution: 'credit_shop' }),
  },
  {
    rule: 'ledger.cause',
    what: 'an entry on what went back that comes of late money',
    plant: change('returned-suspense', { cause: 'LateMoneyReceived' }),
  },
  {
    rule: 'late.suspense_missing',
    what: 'late money that nobody keeps',
    plant: all(drop('suspense'), drop('resolution')),
  },
  {
    rule: 'late.suspense_amounts',
    what: 'less in suspense than came',
    plant: change('suspense', { legs: legs({ provider: '-4.00', suspense: '4.00' }) }),
  },
  {
    rule: 'late.resolution',
    what: "a payment's late money charged to its shop",
    plant: change('resolution', { resolution: 'charge_shop' }),
  },
  { rule: 'late.resolution', what: 'a resolution of nothing', plant: drop('suspense') },
  { rule: 'adjustment.missing', what: 'an adjustment without an entry', plant: drop('adjusted') },
  {
    rule: 'adjustment.amounts',
    what: 'more than was requested',
    plant: change('adjusted', { legs: legs({ balance: '11.00', external: '-11.00' }) }),
  },
  {
    rule: 'adjustment.amounts',
    what: 'a note of another entry',
    plant: change('adjustment-noted', { revision: 5 }),
  },
  {
    rule: 'receipts.not_owed',
    what: 'receipts of an operation that goes on',
    plant: drop('payment-completed'),
  },
  { rule: 'receipts.not_owed', what: 'receipts twice', plant: again('evidence') },
  {
    rule: 'receipts.not_owed',
    what: 'receipts beside legs that are the evidence',
    plant: change('payment-completed', { evidence: 'legs' }),
  },
  {
    rule: 'receipts.not_shown',
    what: 'a leg beside an approval as evidence that no report told of',
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
    what: 'partial for no reason',
    plant: change('evidence', { status: 'partial' }),
  },
  {
    rule: 'setup.order',
    what: 'a token that was never issued',
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
    what: `an attempt by ${JSON.stringify(changed)}, as no route of its shop has it`,
    plant: changeRoute('reviewed-started', changed),
  })),
  {
    rule: 'routing.route',
    what: 'a conversion at a rate that no route of the shop has',
    plant: all(
      changeRoute('reviewed-started', { conversion }),
      change('reviewed-accepted', { fx_rate: '0.012500' }),
    ),
  },
  {
    rule: 'routing.route',
    what: 'an attempt by a route that was taken away long before',
    plant: after('members-key', {
      stream: `shop-${shopId}`,
      type: 'RoutesReplaced',
      data: { routes: [] },
      atMs: Date.parse('2026-01-31T11:58:00.000Z'),
    }),
  },
  ...[{ daily_count: 1 }, { daily_amount: '199.99' }].map((limit): Plant => ({
    rule: 'routing.daily_limit',
    what: `a second attempt a minute later, where the route has ${JSON.stringify(limit)}`,
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
    what: 'an attempt with a provider that was switched off long before',
    plant: after('switched-on', {
      ...switchOf('ProviderSwitchedOff'),
      atMs: Date.parse('2026-01-31T11:59:00.000Z'),
    }),
  },
  {
    rule: 'routing.account_off',
    what: 'an attempt with an account that was never added',
    plant: (events) =>
      void Object.assign(dataOf(events, 'payment-started')['route'] as Data, { account: 'second' }),
  },
  {
    rule: 'authority.role',
    what: 'a provider switched off by a token that may not',
    plant: by('switched-off', { actor: 'operator:nobody' }),
  },
  { rule: 'setup.order', what: 'a shop without its merchant', plant: drop('setup-1') },
  {
    rule: 'personal.in_clear',
    what: 'requisites as the provider gave them',
    plant: change('payment-accepted', { requisites: { number: '2200' } }),
  },
  {
    rule: 'personal.in_clear',
    what: 'a row of a file of payouts',
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
    what: 'a file of payouts in the stream of another',
    plant: change('batch-checked', { batch_id: 'batch-2' }),
  },
  {
    rule: 'authority.actor',
    what: 'a file of payouts that a service brought',
    plant: by('batch-checked', { actor: 'service:processor' }),
  },
  {
    rule: 'personal.in_clear',
    what: 'an address',
    plant: change('payment-admitted', { request: { ...request, client_ip: '192.0.2.1' } }),
  },
  {
    rule: 'personal.in_clear',
    what: 'metadata',
    plant: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: keptKey, hmac: 'hmac' } },
      request: { ...request, metadata: { opened: { 'order.id': '1042' } } },
    }),
  },
  {
    rule: 'personal.in_clear',
    what: 'what only looks sealed',
    plant: change('payment-admitted', {
      request: { ...request, client_ip: { sealed: '192.0.2.1' } },
    }),
  },
  {
    rule: 'personal.in_clear',
    what: 'a bare hash of the whole body',
    plant: change('payment-admitted', { body_hash: { whole: 'f0e4c2f7' } }),
  },
  {
    rule: 'personal.in_clear',
    what: 'a bare hash that an address is part of',
    plant: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7' },
      request: { ...request, client_ip: { sealed: sealedWith(keptKey) } },
    }),
  },
  {
    rule: 'personal.key_missing',
    what: 'a body hashed under a key that never was',
    plant: change('payment-admitted', {
      body_hash: { rest: 'f0e4c2f7', personal: { key_id: 'c'.repeat(22), hmac: 'ab' } },
    }),
  },
  { rule: 'personal.key_missing', what: 'a key that never was', plant: drop('kept-key') },
  {
    rule: 'ledger.cause',
    what: 'a credit that names whoever posted it',
    plant: change('credit', { cause: 'service:webhooks' }),
  },
  {
    rule: 'ledger.cause',
    what: 'another provider',
    plant: change('capture', { provider: 'other' }),
  },
  {
    rule: 'ledger.cause',
    what: 'a conversion that there was not',
    plant: change('credit', { source: { amount: '100.00', currency: 'USD', fx_rate: '1.000000' } }),
  },
  {
    rule: 'personal.key_missing',
    what: 'a key that is gone, and was not destroyed',
    plant: all(drop('erased-key'), drop('erasure-retired'), drop('erasure-destroyed')),
  },
  {
    rule: 'personal.key_destroyed',
    what: 'and nobody asked for it',
    plant: drop('erasure-requested'),
  },
  {
    rule: 'personal.key_destroyed',
    what: 'another one than was asked for',
    plant: after('erasure-erased', {
      stream: `personal-key-${keptKey}`,
      type: '$streamDeleted',
      data: null,
    }),
  },
  {
    rule: 'personal.erasure',
    what: 'it is said to have ended, and the key is there',
    plant: drop('erasure-destroyed'),
  },
  ...[
    ['money by its merchant', 'payment-leg', { actor: `merchant:${shopId}`, keyId: keyOf(shopId) }],
    [
      'an end by its merchant',
      'payment-completed',
      { actor: `merchant:${shopId}`, keyId: keyOf(shopId) },
    ],
    ['money by another provider', 'payment-leg', { actor: 'provider:other' }],
    ['an end by another provider', 'payout-completed', { actor: 'provider:other' }],
    ['late money by another provider', 'late', { actor: 'provider:other' }],
    ['a credit by its merchant', 'credit', { actor: `merchant:${shopId}`, keyId: keyOf(shopId) }],
    ['a credit by its provider', 'credit', { actor: 'provider:sandbox' }],
    ['suspense by its provider', 'suspense', { actor: 'provider:sandbox' }],
    ['an adjustment by a service', 'adjusted', { actor: 'service:processor' }],
    ['an end of erasure by a service', 'erasure-erased', { actor: 'service:admin' }],
    ['a cancel by a service', 'cancelled', { actor: 'service:processor' }],
    ['an admission by a service', 'payment-admitted', { actor: 'service:processor' }],
    ['a reserve by its payer', 'reserve', { actor: 'payer:payment-page' }],
  ].map(([what, name, who]): Plant => ({
    rule: 'authority.actor',
    what: what as string,
    plant: all(by(name as string, who as { actor: string }), came(name as string, undefined)),
  })),
  {
    rule: 'authority.actor',
    what: 'a refused payout by a provider that was never asked',
    plant: after('payout-requested', {
      ...inOperation(payout, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      actor: 'provider:other',
    }),
  },
  {
    rule: 'authority.token',
    what: 'what follows from a command names no token',
    plant: by('adjusted', { actor: 'operator:admin' }),
  },
  {
    rule: 'authority.role',
    what: 'a token is issued by somebody who is no operator',
    plant: by('token', { actor: 'service:admin' }),
  },
  {
    rule: 'authority.role',
    what: 'a token is issued by somebody with none',
    plant: by('token', { actor: 'operator:mallory' }),
  },
  {
    rule: 'authority.role',
    what: 'an operator closes by hand',
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
    what: 'an auditor asks a provider for its statement',
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
    what: 'a merchant brings a provider’s statement',
    plant: by('stated', { actor: 'merchant:m' }),
  },
  {
    rule: 'authority.role',
    what: 'a token acts under the name of another',
    plant: by('decided', { actor: 'operator:admin', tokenId: 't' }),
  },
  {
    rule: 'authority.role',
    what: 'a receipt is decided on with a token that was revoked long before',
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
    what: 'an operator admits an operation',
    plant: by('payment-admitted', { actor: 'operator:admin', tokenId: 'first' }),
  },
  {
    rule: 'authority.key',
    what: 'a key of another shop',
    plant: by('payment-admitted', { actor: `merchant:${shopId}`, keyId: keyOf(otherShopId) }),
  },
  {
    rule: 'authority.key',
    what: 'another shop with a key of its own',
    plant: by('payment-started', { actor: `merchant:${otherShopId}`, keyId: keyOf(otherShopId) }),
  },
  {
    rule: 'authority.key',
    what: 'a key that was never issued',
    plant: by('payment-admitted', { actor: `merchant:${shopId}`, keyId: 'k' }),
  },
  {
    rule: 'authority.key',
    what: 'no key',
    plant: by('payment-admitted', { actor: `merchant:${shopId}` }),
  },
  {
    rule: 'authority.key',
    what: 'no key where it cancels what is not there yet',
    plant: by('cancelled-first', { actor: `merchant:${shopId}` }),
  },
  {
    rule: 'authority.key',
    what: 'a key that was revoked long before',
    plant: after('token', {
      stream: `shop-${shopId}`,
      type: 'ApiKeyRevoked',
      data: { key_id: keyOf(shopId) },
      atMs: Date.parse('2026-01-30T12:00:00.000Z'),
    }),
  },
  {
    rule: 'authority.actor',
    what: 'a service admits an operation',
    plant: by('payment-admitted', { actor: 'service:processor' }),
  },
  {
    rule: 'authority.token',
    what: 'an operator decides without a token',
    plant: by('decided', { actor: 'operator:admin' }),
  },
  {
    rule: 'authority.token',
    what: 'an adjustment without a token',
    plant: by('adjustment', { actor: 'operator:admin' }),
  },
  {
    rule: 'authority.payer',
    what: 'a payer on another page',
    plant: by('uploaded', { actor: 'payer:elsewhere' }),
  },
  {
    rule: 'authority.actor',
    what: 'a payer records an audit',
    plant: by('audited', { actor: 'payer:payment-page' }),
  },
  {
    rule: 'authority.actor',
    what: 'a payer decides on a receipt',
    plant: by('reviewed-declined', { actor: 'payer:payment-page' }),
  },
  {
    rule: 'authority.member',
    what: 'a viewer issues a key',
    plant: by('members-key', { actor: 'member:vera' }),
  },
  {
    rule: 'authority.member',
    what: 'one who is no member issues a key',
    plant: by('members-key', { actor: 'member:nobody' }),
  },
  {
    rule: 'authority.member',
    what: 'a member issues a key of another shop',
    plant: after('members-key', {
      stream: `shop-${otherShopId}`,
      actor: 'member:anna',
      type: 'ApiKeyIssued',
      data: { key_id: 'key-of-other', key_hash: 'h', label: 'l', hint: 'abcd' },
    }),
  },
  {
    rule: 'authority.member',
    what: 'a member changes what is an operator’s alone',
    plant: by('adjustment', { actor: 'member:anna' }),
  },
  {
    rule: 'authority.member',
    what: 'a member acts long after the removal',
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
    what: 'a member acts by a link of one who was removed long before',
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
    what: 'a sign-in names another than who issued its link',
    plant: by('vera-in', { linkIssuers: ['operator:admin'] }),
  },
  {
    rule: 'authority.member',
    what: 'a link lets in twice',
    plant: again('vera-in'),
  },
  {
    rule: 'authority.member',
    what: 'a link lets in another member',
    plant: change('vera-in', { link_hash: 'link-of-anna' }),
  },
  {
    rule: 'authority.second_member',
    what: 'a file confirmed by the member who uploaded it',
    plant: by('batch-checked', { actor: 'member:anna' }),
  },
  {
    rule: 'authority.second_member',
    what: 'a file confirmed by a key',
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
    what: 'a file confirmed in a session by a link of the member who uploaded it',
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
    what: 'a member is added twice',
    plant: again('vera-added'),
  },
  {
    rule: 'authority.amount',
    what: 'an operator approves more than was expected',
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
    what: 'more counts than an operator approved',
    plant: change('approved-decided', { actual_amount: '10.00' }),
  },
  {
    rule: 'operation.decided',
    what: 'an approval that names no amount',
    plant: (events) => void delete dataOf(events, 'approved-decided')['actual_amount'],
  },
  {
    rule: 'operation.decided',
    what: 'money that no provider reported, without a review',
    plant: (events) => {
      for (const leg of dataOf(events, 'payment-completed')['legs'] as Data[])
        leg['synthetic'] = true;
    },
  },
  {
    rule: 'operation.decided',
    what: 'money that no provider reported, while the payment goes on',
    plant: change('payment-leg', {
      leg: { ...lateLeg, leg_id: 'l1', amount: '40.00', synthetic: true },
    }),
  },
  {
    rule: 'operation.decided',
    what: 'a decline by a review that brings money',
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
    what: 'an operator completes without a decision',
    plant: by('payment-completed', { actor: 'operator:admin', tokenId: 'first' }),
  },
  {
    rule: 'authority.decision',
    what: 'an operator ends by the decision of another',
    plant: by('approved-completed', { actor: 'operator:n', tokenId: 't' }),
  },
  {
    rule: 'report.signature',
    what: 'a callback of which the provider signed another',
    plant: came(
      'payment-leg',
      keptCallback(payment, signedReport, {
        said: { ...signedReport, legs: [signedLeg('l1', '4.00')] },
      }),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a callback that another account with the provider signed',
    plant: all(
      after('token', accountAdded),
      came('payment-leg', keptCallback(payment, signedReport, { secret: otherSecret })),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a callback that the environment’s account signed, of an attempt at another',
    plant: all(after('token', accountAdded), atAccount),
  },
  {
    rule: 'report.signature',
    what: 'a callback that was altered where it is kept',
    plant: (events) => {
      const kept = keptCallback(payment, signedReport);
      const end = kept.sealed.endsWith('AA') ? 'BB' : 'AA';
      came('payment-leg', { ...kept, sealed: `${kept.sealed.slice(0, -2)}${end}` })(events);
    },
  },
  {
    rule: 'report.signature',
    what: 'a callback that is kept under another time',
    plant: came('payment-leg', { ...keptCallback(payment, signedReport), timestamp: '1769860000' }),
  },
  {
    rule: 'report.signature',
    what: 'a callback of another operation',
    plant: came('payment-leg', keptCallback(payment, { ...signedReport, operation_id: payout })),
  },
  {
    rule: 'report.signature',
    what: 'a callback that was sealed for another operation',
    plant: came('payment-leg', keptCallback(payout, signedReport)),
  },
  {
    rule: 'report.signature',
    what: 'a leg of another amount than the provider signed',
    plant: change('payment-leg', { leg: { ...lateLeg, leg_id: 'l1', amount: '41.00' } }),
  },
  {
    rule: 'report.signature',
    what: 'an end with a leg that the provider did not sign',
    plant: all(
      by('payment-completed', { actor: 'provider:sandbox' }),
      came('payment-completed', keptCallback(payment, signedReport)),
    ),
  },
  {
    rule: 'report.signature',
    what: 'late money of another amount than the provider signed',
    plant: all(by('late', sandbox), came('late', keptCallback(payment, lateTold('0.01')))),
  },
  {
    rule: 'report.signature',
    what: 'a late status that the provider did not sign',
    plant: after('late', {
      stream: `late-${payment}`,
      type: 'LateStatusReported',
      data: { ...aboutLate, reported_status: 'declined', operation_status: 'completed' },
      ...sandbox,
      report: keptCallback(payment, lateTold('5.00')),
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
      report: keptCallback(payment, lateTold('5.00')),
    }),
  },
  {
    rule: 'report.signature',
    what: 'a correction that the provider did not sign',
    plant: after('payment-leg', {
      ...inOperation(payment, 'LegCorrected', correction('l1', '40.00', 2)),
      ...sandbox,
      report: keptCallback(payment, signedReport),
    }),
  },
  {
    rule: 'report.signature',
    what: 'a partial end where the provider signed that it goes on',
    plant: came(
      'payout-completed',
      keptCallback(payout, {
        ...signedReport,
        operation_id: payout,
        legs: [{ leg_id: 'p1', amount: '50.00' }],
      }),
    ),
  },
  {
    rule: 'report.signature',
    what: 'a decline where the provider signed that it is completed',
    plant: after('payment-started', {
      ...inOperation(payment, 'OperationDeclined', { ...noMoney, reason: 'provider' }),
      ...sandbox,
      report: keptCallback(payment, { ...signedReport, status: 'completed' }),
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
    what: 'money at another rate than the provider signed with its end',
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
      came(
        'payment-completed',
        keptCallback(payment, { ...lateTold('5.00'), fx_rate: '0.0125', acceptance: 'accepted' }),
      ),
    ),
  },
  ...[
    ['a leg', 'payment-leg'],
    ['a leg of an end', 'payout-completed'],
    ['late money', 'late'],
    ['confirmed money', 'confirmed'],
    ['what went back', 'returned'],
  ].map(([what, name = '']): Plant => ({
    rule: 'report.signature',
    what: `${what} on another day than the provider signed`,
    plant: signedOnAnotherDay(name),
  })),
  {
    rule: 'report.signature',
    what: 'another attempt than the provider signed',
    plant: came('payment-leg', keptCallback(payment, { ...signedReport, attempt: 2 })),
  },
  {
    rule: 'report.signature',
    what: 'an end in the same append with a leg that the provider did not sign',
    plant: by('payment-completed', sandbox),
  },
  {
    rule: 'report.signature',
    what: 'a callback that is gone, of a client who was never erased',
    plant: came('payment-leg', { ...keptCallback(payment, signedReport), sealed: undefined }),
  },
  {
    rule: 'report.signature',
    what: "a provider's word without a callback",
    plant: came('payout-completed', undefined),
  },
  {
    rule: 'report.signature',
    what: 'a callback of one provider under the name of another',
    plant: by('payment-leg', { actor: 'provider:other' }),
  },
  {
    rule: 'log.metadata',
    what: 'a callback that a service is said to have sent',
    plant: by('payment-leg', { actor: 'service:processor' }),
  },
  {
    rule: 'log.metadata',
    what: 'a callback with its signature beside it',
    plant: came('payment-leg', { ...keptCallback(payment, signedReport), signature: 'v1,AAAA' }),
  },
  {
    rule: 'log.metadata',
    what: 'a callback that is kept with what is of no operation',
    plant: all(
      by('credit', { actor: 'provider:sandbox' }),
      came('credit', keptCallback(payment, signedReport)),
    ),
  },
  {
    rule: 'personal.in_clear',
    what: 'a callback as it came',
    plant: came('payment-leg', {
      ...keptCallback(payment, signedReport),
      sealed: JSON.stringify(signedReport),
    }),
  },
  {
    rule: 'personal.key_missing',
    what: 'a callback under a key that never was',
    plant: came('payment-leg', {
      ...keptCallback(payment, signedReport),
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
    what: `an import that says of itself ${JSON.stringify(changed)}`,
    plant: change('stated', changed),
  })),
  {
    rule: 'statement.whole',
    what: 'an import with lines of which some are gone',
    plant: drop('stated-lines'),
  },
  { rule: 'statement.whole', what: 'an import that ends twice', plant: again('stated') },
  {
    rule: 'statement.whole',
    what: 'an import with its lines twice',
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
    what: `a finding ${id} that was none`,
    plant: change('fee-closed', {
      finding_id: id,
      ...(/^(not|ledger)_/.test(id) && { finding: id.split(/[:@]/)[0] }),
    }),
  })),
  {
    rule: 'statement.closed',
    what: 'a balance that no import told',
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
    what: 'a finding of another amount than any line had',
    plant: change('fee-closed', { amount: '2.00' }),
  },
  {
    rule: 'statement.closed',
    what: 'a finding of a day of which nothing was imported',
    plant: drop('stated'),
  },
  { rule: 'personal.erasure', what: 'it never ended', plant: drop('erasure-erased') },
  {
    rule: 'tree.root',
    what: 'a root of other entries is signed',
    written: (log) => signLog(log, shopId, { change: { root: 'A'.repeat(43) } }),
  },
  {
    rule: 'tree.size',
    what: 'more entries are signed than there are',
    written: (log) => signLog(log, shopId, { change: { tree_size: 1_000 } }),
  },
  { rule: 'tree.size', what: 'a size twice', written: (log) => signLog(log, shopId, { times: 2 }) },
  {
    rule: 'tree.signature',
    what: 'a signature of something else',
    written: (log) => signLog(log, shopId, { change: { signature: 'A'.repeat(86) } }),
  },
  {
    rule: 'tree.signature',
    what: 'a key that is in no event',
    written: (log) => signLog(log, shopId, { keys: [] }),
  },
  {
    rule: 'tree.signature',
    what: 'a time before the key began',
    written: (log) => signLog(log, shopId, { change: { signed_at: '2026-01-31T11:00:00.000Z' } }),
  },
  {
    rule: 'tree.key',
    what: 'an id of a key twice',
    written: (log) => signLog(log, shopId, { keys: [addedKey, addedKey] }),
  },
  {
    rule: 'personal.erasure',
    what: 'no operator asked for it',
    plant: by('erasure-requested', { actor: 'service:admin' }),
  },
];

function write(plant: Plant): LogEvent[] {
  const events = soundLog();
  plant.plant?.(events);
  const log = createLog();
  // An operation whose id a test does not know is the one of the event before.
  let last = '';
  for (const event of events.values()) {
    const stream = event.stream === 'operation-' ? last : event.stream;
    log.append({ ...event, stream });
    last = stream;
  }
  plant.written?.(log.events);
  return log.events;
}

it('finds nothing in the log that the violations are planted in', async () => {
  const events = write({ rule: 'log.metadata', what: 'nothing' });
  const { findings, inFlight, reports } = await auditLog(events, { reportKeys: auditorKeys });
  expect(findings).toEqual([]);
  expect(inFlight).toBe(0);
  expect(reports).toMatchObject({ stored: 2, verified: 1, erased: 1, tried: true });
});

it.each([1, 1_000])(
  'finds nothing in signed roots of these entries (%i in memory, R25.3)',
  async (inMemory) => {
    const written = (log: LogEvent[]) => signLog(log, shopId);
    const events = write({ rule: 'log.metadata', what: 'nothing', written });
    expect(events.filter(({ type }) => type === 'CheckpointSigned')).toHaveLength(1);
    expect((await auditLog(events, { inMemory })).findings).toEqual([]);
  },
);

it.each([1, 1_000])(
  'says what became of each callback that is kept (%i in memory)',
  async (inMemory) => {
    const counted = async (plant: Plant['plant'], reportKeys = auditorKeys) => {
      const events = write({ rule: 'log.metadata', what: 'nothing', ...(plant && { plant }) });
      const { findings, reports } = await auditLog(events, { inMemory, reportKeys });
      expect(findings).toEqual([]);
      return Object.fromEntries(Object.entries(reports).filter(([, value]) => value !== 0));
    };
    const both = { stored: 2, erased: 1, tried: true, missingSecrets: [] };
    expect(await counted(undefined)).toEqual({ ...both, verified: 1 });
    const hint = keptCallback(payment, signedReport, { secret: otherSecret }).secret_hint;
    const earlier = came(
      'payment-leg',
      keptCallback(payment, signedReport, { secret: otherSecret }),
    );
    expect(await counted(earlier)).toEqual({ ...both, no_secret: 1, missingSecrets: [hint] });
    const byAccount = all(after('token', accountAdded), atAccount, earlier);
    expect(await counted(byAccount)).toEqual({ ...both, verified: 1 });
    // No secret of its own account was given: that another one's fits does not say whose it is.
    const none = { ...auditorKeys, secrets: new Map<string, never>() };
    const shared = all(after('token', accountAdded), earlier);
    expect(await counted(shared, none)).toEqual({
      ...both,
      no_secret: 1,
      missingSecrets: [keptCallback(payment, signedReport).secret_hint, hint],
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
    // Of a client who had been erased before it came, nothing of it is kept.
    const { sealed: _, ...bare } = keptCallback(payout, {});
    expect(await counted(all(erasedFirst, came('payout-completed', bare)))).toEqual({
      ...both,
      verified: 1,
    });
    // Its client's key could not be read when it came: it says so, and is not counted as erased.
    const { sealed: _sealed, ...unread } = keptCallback(payment, signedReport);
    expect(await counted(came('payment-leg', { ...unread, unsealed: 'key_unreadable' }))).toEqual({
      ...both,
      not_read: 1,
    });
    // The key of an erased client may have been cleaned away, or not yet.
    const cleaned = all(drop('erased-key'), drop('erasure-retired'));
    expect(await counted(cleaned)).toEqual({ ...both, verified: 1 });
  },
);

it('says of callbacks that it has no keys for only that they are there', async () => {
  const { findings, reports } = await auditLog(write({ rule: 'log.metadata', what: 'nothing' }));
  expect(findings).toEqual([]);
  expect(reports).toMatchObject({ stored: 2, erased: 1, not_read: 1, verified: 0, tried: false });
});

it.each(plants)(
  'names $rule: $what (R12.1, R18.2, R18.8, R18.10, R18.12, R18.14, R18.15, R21.8, R22.13, R22.16)',
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

it('has a planted violation for every rule of the log (R18.2)', () => {
  const elsewhere = /^(webhook|read_model|checkpoint)\./;
  const planted = new Set(plants.map(({ rule }) => rule));
  expect(ruleCodes.filter((code) => !elsewhere.test(code) && !planted.has(code))).toEqual([]);
});

it('finds nothing where a destroyed key was cleaned away', async () => {
  const cleaned = (events: NamedEvents) => all(drop('erased-key'), drop('erasure-retired'))(events);
  const events = write({ rule: 'log.metadata', what: 'nothing', plant: cleaned });
  expect(events.filter(({ stream }) => stream === `personal-key-${erasedKey}`)).toHaveLength(1);
  expect((await auditLog(events)).findings).toEqual([]);
});

it('judges an operation that an older version admitted by the rules of then', async () => {
  const olden = (events: NamedEvents) => {
    for (const name of ['confirmed-rest', 'excess', 'excess-suspense']) drop(name)(events);
    Object.assign(events.get('approved-admitted') as object, { schemaVersion: 2 });
    change('approved-admitted', { body_hash: 'hash' })(events);
    // Withdrawn after its approval, and its money late when it came.
    after('approved-completed', inOperation(approved, 'AttemptWithdrawn', { attempt: 1 }))(events);
    Object.assign(events.get('confirmed') as object, {
      type: 'LateMoneyReceived',
      schemaVersion: 1,
    });
    // Accepted with nowhere to pay to.
    Object.assign(events.get('payment-admitted') as object, { schemaVersion: 2 });
    change('payment-admitted', { body_hash: 'hash' })(events);
    delete dataOf(events, 'payment-accepted')['requisites'];
  };
  const { findings } = await auditLog(
    write({ rule: 'log.metadata', what: 'nothing', plant: olden }),
  );
  // Nobody has put that money into suspense here.
  expect(findings.filter(({ rule }) => rule !== 'late.suspense_missing')).toEqual([]);
});

it('counts apart what is older than the ids of keys and tokens', async () => {
  const nobody = { actor: 'operator:admin' };
  const unnamed = (...names: string[]) => all(...names.map((name) => by(name, nobody)));
  const before = all(
    unnamed('setup-1', 'setup-2'),
    by('payment-admitted', { actor: `merchant:${shopId}` }),
    change('payment-admitted', { body_hash: 'hash' }),
    (events) => void Object.assign(events.get('payment-admitted') as object, { schemaVersion: 2 }),
    // A day is not over when an instance of the version before does this.
    unnamed('adjustment'),
  );
  const sound = await auditLog(write({ rule: 'log.metadata', what: 'nothing', plant: before }));
  expect(sound.findings).toEqual([]);
  expect(sound.notes).toContain(
    '4 events of merchants and operators are older than the ids of keys and tokens',
  );
  const later = all(before, (events) =>
    Object.assign(events.get('adjustment') as object, {
      atMs: Date.parse('2026-02-02T12:00:00.000Z'),
    }),
  );
  const { findings } = await auditLog(
    write({ rule: 'log.metadata', what: 'nothing', plant: later }),
  );
  expect(findings.map(({ rule }) => rule)).toContain('authority.token');
});

it('takes a provider’s statement that an operator has asked for (R22.13)', async () => {
  const asked = { actor: 'operator:admin', tokenId: 'first' };
  const plant = all(by('stated-lines', asked), by('stated', asked));
  const { findings } = await auditLog(write({ rule: 'log.metadata', what: 'nothing', plant }));
  expect(findings).toEqual([]);
});

it('finds nothing where the program before called the leg of a return by its attempt, too', async () => {
  const older = (events: NamedEvents) => {
    change('returned', { of_leg_id: '1:m1' })(events);
    Object.assign(events.get('returned') ?? {}, { schemaVersion: 1 });
    // Resolved by the present program.
    change('returned-suspense', { of_leg_id: '1:m1' })(events);
  };
  const events = write({ rule: 'ledger.not_owed', what: 'nothing', plant: older });
  const { findings } = await auditLog(events);
  expect(findings).toEqual([]);
});

it('says what statements confirm, what is open and what people closed (R22.13)', async () => {
  const noted = async (plant?: Plant['plant']) => {
    const events = write({ rule: 'log.metadata', what: 'nothing', ...(plant && { plant }) });
    const { findings, notes } = await auditLog(events);
    expect(findings.filter(({ rule }) => /^statement\.(whole|closed)/.test(rule))).toEqual([]);
    return notes.find((note) => note.startsWith('statements of providers'));
  };
  const said = (confirmed: number, open: number, closed: number) =>
    `statements of providers: 1 days, ${confirmed} lines confirmed, ${open} findings open, ${closed} closed by operators`;
  const before = await noted();
  const [, open = ''] = /(\d+) findings open/.exec(before ?? '') ?? [];
  expect(before).toBe(said(3, Number(open), 1));
  // Another amount of the payment's first leg: its line is no longer confirmed, and the books have
  // another one.
  const leg = { leg: { ...lateLeg, leg_id: 'l1', amount: '41.00' } };
  expect(await noted(change('payment-leg', leg))).toBe(said(2, Number(open) + 2, 1));
  expect(await noted(drop('fee-closed'))).toBe(said(3, Number(open) + 1, 0));
  // That leg is closed by its operation, or as an old note named it; the fee is open then.
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
  // What was closed said something else then.
  expect(await noted(change('fee-closed', { amount: '1.00' }))).toBe(before);
  // The closing balance is another one; and a person has said so, of this amount.
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

it('names what rests on answers of providers that nobody signed (R18.10)', async () => {
  const noted = async (plant?: Plant['plant'], ofShop?: string) => {
    const events = write({ rule: 'log.metadata', what: 'nothing', ...(plant && { plant }) });
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
  // The callback that ends it has all of its money.
  const signed = all(
    by('payment-completed', sandbox),
    came('payment-completed', keptCallback(payment, lateTold('5.00'))),
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
  // A person has decided, and the rate is the provider's.
  const rate = change('approved-accepted', { fx_rate: '0.012500' });
  expect(await noted(rate, otherShopId)).toBe(
    said(`1 ends with money: ${approved}`, late(...ofOther)),
  );
});

it('leaves to the next moment what was owed a moment ago', async () => {
  const events = write({ rule: 'settlement.missing', what: 'no capture', plant: drop('capture') });
  const nowMs = Date.parse('2026-01-31T12:00:10.000Z');
  const { findings, inFlight } = await auditLog(events, { nowMs });
  expect(findings).toEqual([]);
  expect(inFlight).toBe(1);
});

it('does not count an open payment as owed before its window has ended', async () => {
  const plant = (events: NamedEvents) => {
    const names = [...events.keys()];
    for (const name of names.slice(names.indexOf('payment-leg'))) events.delete(name);
    change('payment-accepted', { expires_at: '2026-01-31T13:00:00.000Z' })(events);
  };
  const events = write({ rule: 'operation.overdue', what: 'an open payment', plant });
  const as = (time: string) => auditLog(events, { nowMs: Date.parse(time) });
  expect(await as('2026-01-31T12:00:10.000Z')).toMatchObject({ findings: [], inFlight: 0 });
  expect(await as('2026-01-31T15:00:10.000Z')).toMatchObject({ findings: [], inFlight: 1 });
  expect((await as('2026-01-31T15:00:31.000Z')).findings).toMatchObject([
    { rule: 'operation.overdue' },
  ]);
});
