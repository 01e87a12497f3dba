import type { RuleCode } from '#shared/domain/audit/rules.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { signLog } from '../checkpoints.ts';
import { keyOf, type NewLogEvent } from '../log.ts';
import { testRoute } from '../shops.ts';
import { retainedClient, storedCallback } from '../stored-reports.ts';
import { type NamedEvents, payment, reviewed, shopId } from '../valid-log.ts';

export type Change = (events: NamedEvents) => void;
/** A change of the events before they are written, or of the written log, that breaks a rule. */
export type Corruption = Change | { written(log: RawEvent[]): void };
/** Corruptions by the rule that they break, each with a title. */
export type Corruptions = Partial<Record<RuleCode, Readonly<Record<string, Corruption>>>>;

export type Data = Record<string, unknown>;
export const eventOf = (events: NamedEvents, name: string): NewLogEvent => {
  const event = events.get(name);
  if (!event) throw new Error(`no event ${name}`);
  return event;
};
export const dataOf = (events: NamedEvents, name: string) => eventOf(events, name).data as Data;
export const change = (name: string, more: Data) => (events: NamedEvents) =>
  void Object.assign(dataOf(events, name), more);
export const without = (name: string, field: string) => (events: NamedEvents) =>
  void delete dataOf(events, name)[field];
/** Changes fields of an event other than those in its data. */
export const set = (name: string, fields: object) => (events: NamedEvents) =>
  void Object.assign(eventOf(events, name), fields);
/** Moves the erasure of a client before the terminal status of its operation. */
export const erasedFirst = (events: NamedEvents): void => {
  const request = events.get('erasure-requested') as NewLogEvent;
  drop('erasure-requested')(events);
  after('erased-key', request)(events);
};
/** Makes the log begin with an event of a program that is older than the other events. */
export const shopOfOlderVersion = set('setup-2', { schemaVersion: 1 });
type Caller = Pick<NewLogEvent, 'actor' | 'tokenId' | 'keyId' | 'linkIssuers'>;
export const by = (name: string, caller: Caller) => set(name, caller);
/** Sets the provider report that an event is recorded with. */
export const withReport = (name: string, report: object | undefined) => set(name, { report });
/** Attributes an event to another caller, without a provider report. */
export const byWithoutReport = (name: string, caller: Caller) =>
  all(by(name, caller), withReport(name, undefined));
export const drop =
  (...names: string[]) =>
  (events: NamedEvents) => {
    for (const name of names) if (!events.delete(name)) throw new Error(`no event ${name}`);
  };
/** Puts events after the named one. */
export const after =
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
export const followedBy =
  (name: string, type: string, data: object): Change =>
  (events) =>
    after(name, { stream: eventOf(events, name).stream, type, data })(events);
export const again = (name: string) => (events: NamedEvents) =>
  after(name, structuredClone(events.get(name) as NewLogEvent))(events);
export const all =
  (...changes: Change[]): Change =>
  (events) => {
    for (const each of changes) each(events);
  };
/** A corruption for each value. */
export const corruptionsFor = <Value>(
  values: readonly Value[],
  corruptionOf: (value: Value) => [string, Corruption],
) => Object.fromEntries(values.map(corruptionOf));
export const otherProvider = { actor: 'provider:other' };
export const processor = { actor: 'service:processor' };
export const adminService = { actor: 'service:admin' };
export const payer = { actor: 'payer:payment-page' };
export const anna = { actor: 'member:anna', linkIssuers: ['operator:admin'] };
export const firstAdmin = { actor: 'operator:admin', tokenId: 'first' };
export const unnamedAdmin = { actor: 'operator:admin' };
export const ownKey = { actor: `merchant:${shopId}`, keyId: keyOf(shopId) };
/** Another admin token, with the id `t2`. */
export const tokenFor = (name: string, role: string) => ({
  stream: 'operators',
  type: 'AdminTokenIssued',
  data: { token_id: 't2', token_hash: 'hash-of-t2', name, role, hint: 'abcd' },
});
export const tokenRevoked = (token_id: string) => ({
  stream: 'operators',
  type: 'AdminTokenRevoked',
  data: { token_id },
});
export const twoDaysLater = { atMs: Date.parse('2026-02-02T12:00:00.000Z') };
export const aDayBefore = { atMs: Date.parse('2026-01-30T12:00:00.000Z') };
export const twoMinutesBefore = { atMs: Date.parse('2026-01-31T11:58:00.000Z') };
/** Removes a member of the shop long before the other events. */
export const removed = (member_id: string, afterwards = 'vera-in') =>
  after(afterwards, {
    stream: `members-${shopId}`,
    actor: 'operator:admin',
    tokenId: 'first',
    type: 'MemberRemoved',
    data: { member_id },
    ...aDayBefore,
  });
/** Another account with the provider; `auditorKeys` open its secret, which is `otherSecret`. */
export const accountAdded = {
  stream: 'directory',
  type: 'ProviderAccountAdded',
  data: {
    provider: 'sandbox',
    account: 'second',
    label: 'Second',
    credentials: { master_key_id: 'm', sealed: 'v3.sealed', fingerprint: 'f' },
  },
};
export const changeRoute = (name: string, more: Data) => (events: NamedEvents) =>
  void Object.assign(dataOf(events, name)['route'] as Data, more);
/** Adds such a route for payments to the shops; in one of their sets it is the first. */
export const hasRoute = (more: Data) => (events: NamedEvents) => {
  for (const { type, data } of events.values()) {
    if (type !== 'RoutesReplaced') continue;
    const { routes } = data as { routes: object[] };
    routes.splice(routes.length === 2 ? 0 : routes.length, 0, testRoute('payment', more));
  }
};
/** Moves the payment to that account. */
export const atAccount = changeRoute('payment-started', { account: 'second' });
export const legs = (amounts: Record<string, string>) =>
  Object.entries(amounts).map(([account, amount]) => ({ account, amount }));
export const inOperation = (id: string, type: string, data: object): NewLogEvent => ({
  stream: `operation-${id}`,
  type,
  data,
});
export const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
export const dear = { percent: '90', fixed: '0.00' };
export const noMoney = {
  actual_amount: '0.00',
  settlement_amount: '0.00',
  commission_amount: '0.00',
};
export const entry = (data: Data): NewLogEvent => ({
  stream: `ledger-${shopId}-RUB`,
  type: 'EntryPosted',
  data: { shop_id: shopId, currency: 'RUB', ...data },
});
export const request = {
  client_id: retainedClient,
  method: 'WT_RUB_C2C',
  amount: '100.00',
  currency: 'RUB',
};
export const completed_at = '2026-01-31T12:01:00.000Z';
export const signedLeg = (leg_id: string, amount: string) => ({ leg_id, amount, completed_at });
export const storedLeg = (leg_id: string, amount: string) => ({
  leg_id,
  amount,
  completed_at,
  file: true,
});
export const legReturn = {
  attempt: 1,
  returned: { ...signedLeg('b', '50.00'), of_leg_id: 'l1' },
  leg: storedLeg('l1', '0.00'),
};
/** A later correction of late or returned money to zero, from the counted amount. */
export const correctedToZero =
  (name: string, counted: { leg_id: string; counted_amount: string }): Change =>
  (events) => {
    const event = eventOf(events, name);
    const { leg: _, kind: __, beyond: ___, ...about } = event.data as Data;
    const data = { ...about, ...counted, reported_amount: '0.00', report_version: 9 };
    after(name, { ...event, type: 'LateLegCorrected', data })(events);
  };
export const correction = (legId: string, was: string, version: number) => ({
  attempt: 1,
  leg: storedLeg(legId, '1.00'),
  was,
  report_version: version,
});
export const signedReport = {
  operation_id: payment,
  attempt: 1,
  status: 'open',
  legs: [signedLeg('l1', '40.00')],
};
/** Alters the stored callback of the payment's leg. */
export const alteredCallback = (altered: object) =>
  withReport('payment-leg', { ...storedCallback(payment, signedReport), ...altered });
/** Makes the reviewed payment convert, with an acceptance by a signed callback. */
export const acceptedBySignature = (said: Data) =>
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
export const sandbox = { actor: 'provider:sandbox' };
export const aboutLate = {
  operation_id: payment,
  shop_id: shopId,
  merchant_id: 'merchant-1',
  attempt: 1,
  provider: 'sandbox',
};
export const lateStatus = (operation_status: string) => ({
  reported_status: 'declined',
  operation_status,
});
/** An event of the payment's late stream. */
export const lateEvent = (type: string, data: object): NewLogEvent => ({
  stream: `late-${payment}`,
  type,
  data: { ...aboutLate, ...data },
});
export const lateReport = (amount: string) => ({
  ...signedReport,
  status: 'completed',
  legs: [signedLeg('l1', '40.00'), signedLeg('l2', '60.00'), signedLeg('l3', amount)],
});
/** Makes the reviewed payment expire, at a provider that numbers its reports. */
export const expiredAtOnce = (expires_at: string | undefined) =>
  all(
    change('payment-leg', { report_version: 1 }),
    change('reviewed-accepted', { expires_at }),
    followedBy('reviewed-accepted', 'OperationExpired', noMoney),
    drop('uploaded', 'checked', 'decided', 'reviewed-declined', 'reviewed-withdrawn'),
  );
/** Dates the money of the named event a day earlier than its provider signed. */
export const signedOnAnotherDay =
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
export const find = (log: RawEvent[], type: string): RawEvent =>
  log.find((event) => event.type === type) as RawEvent;
/** Changes an event of the written log. */
export const written = (type: string, changed: Partial<RawEvent>) => ({
  written: (log: RawEvent[]) => void Object.assign(find(log, type), changed),
});
export const rootSigned = (how: Parameters<typeof signLog>[2]) => ({
  written: (log: RawEvent[]) => signLog(log, shopId, how),
});
