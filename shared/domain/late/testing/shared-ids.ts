import * as fc from 'fast-check';
import { cancel } from '../../operation/ends/cancel.ts';
import { closeOperationByHand } from '../../operation/ends/close-by-hand.ts';
import type { Leg, OperationEvent, ReturnedMoney } from '../../operation/events.ts';
import { decideReview } from '../../operation/receipt/operator-review.ts';
import { uploadReceipt } from '../../operation/receipt/upload.ts';
import type { ProviderReport } from '../../operation/reports/report.ts';
import type { Operation } from '../../operation/state.ts';
import { accepted, admitted, leg, route, started } from '../../operation/testing/given.ts';
import { payout, plain, requested, reserved } from '../../operation/testing/payouts.ts';
import { liveFrom } from './live.ts';

/** Random payments with several attempts, whose providers use one id for different money. */

const one = <Value>(...values: Value[]) => fc.constantFrom(...values);

type Change =
  | { attempt: number; leg: string; amount: string }
  | { attempt: number; back: string; of: string; amount: string }
  | { attempt: number; status: ProviderReport['status'] };
type Person = 'approve' | 'decline' | 'cancel' | 'close' | 'upload';
/** `lag`: after how many acts the late facts of the report are recorded. */
type Act = { report: number; lag?: number } | { person: Person };

type SharedIds = {
  /** The provider's account of each attempt: two may share one. The last attempt is accepted. */
  accounts: readonly string[];
  receipt: boolean;
  /** A payout of one attempt. */
  payout?: boolean;
  numbered: boolean;
  changes: readonly Change[];
  acts: readonly Act[];
};

/** Few, so that they collide; some look like ids that the gateway prefixed. */
const legIds = one('a', 'b', '1:a', '2:a');
const backIds = one('a', 'b0', '1:b0', '2:b0');
const amount = one('20.00', '30.00', '50.00', '100.00');
const attempt = fc.nat(2);

export const sharedIds: fc.Arbitrary<SharedIds> = fc.record({
  accounts: one(['one', 'other'], ['one', 'other', 'one'], ['one', 'other', 'third']),
  receipt: fc.boolean(),
  numbered: fc.boolean(),
  changes: fc.array(
    fc.oneof(
      fc.record({ attempt, leg: legIds, amount: fc.oneof(amount, one('0.00')) }),
      fc.record({ attempt, back: backIds, of: legIds, amount }),
      fc.record({
        attempt,
        status: one<ProviderReport['status']>('open', 'completed', 'declined', 'expired'),
      }),
    ),
    { minLength: 2, maxLength: 8 },
  ),
  acts: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ report: fc.nat(9) }) },
      {
        weight: 1,
        arbitrary: fc.record({
          person: one<Person>('approve', 'decline', 'cancel', 'close', 'upload', 'upload'),
        }),
      },
    ),
    { maxLength: 8 },
  ),
});

type ProviderState = {
  legs: Map<string, Leg>;
  returns: Map<string, ReturnedMoney>;
  report: ProviderReport;
};

/** What the providers report, one report after each change. */
function reportsOf({ accounts, numbered, changes }: SharedIds) {
  const providers = accounts.map((_, index): ProviderState => ({
    legs: new Map(),
    returns: new Map(),
    report: { attempt: index + 1, status: 'open', legs: [] },
  }));
  const reports: ProviderReport[] = [];
  for (const change of changes) {
    const at = change.attempt % accounts.length;
    const own = providers[at] as ProviderState;
    // An id names one transfer of the operation at one account.
    const idOf = (id: string) => (accounts.indexOf(accounts[at] ?? '') === at ? id : `${id}'`);
    let { status } = own.report;
    if ('status' in change) ({ status } = change);
    else if ('leg' in change) {
      const id = idOf(change.leg);
      if (!numbered && (own.legs.has(id) || change.amount === '0.00')) continue;
      if (change.amount === '0.00') own.legs.delete(id);
      else own.legs.set(id, leg(id, change.amount));
    } else {
      const id = idOf(change.back);
      if (!numbered && own.returns.has(id)) continue;
      const { file: _, ...back } = leg(id, change.amount);
      const of_leg_id = own.returns.get(id)?.of_leg_id ?? idOf(change.of);
      if (!own.legs.has(of_leg_id)) continue;
      own.returns.set(id, { ...back, of_leg_id });
    }
    const { version = 0 } = own.report;
    own.report = {
      attempt: at + 1,
      status,
      legs: [...own.legs.values()],
      returns: [...own.returns.values()],
      ...(numbered && { version: version + 1 }),
    };
    reports.push(own.report);
  }
  return { reports, last: providers.map(({ report }) => report) };
}

function begun({ accounts, receipt, payout: isPayout }: SharedIds): OperationEvent[] {
  if (isPayout) return [payout, started(1, plain), requested(), reserved(), accepted()];
  const attempts = accounts.flatMap((provider, index): OperationEvent[] => [
    started(index + 1, route({ provider })),
    index + 1 === accounts.length
      ? accepted(index + 1, receipt ? { confirmation_required: true } : {})
      : { type: 'AttemptUnresolved', data: { attempt: index + 1, cause: 'timeout' } },
  ]);
  return [admitted(), ...attempts];
}

function eventsOf(state: Operation, person: Person, id: string): OperationEvent[] {
  const nowIso = '2036-01-31T12:00:00.000Z';
  const noted = { note: 'n', legId: id, nowIso };
  const decided = {
    approve: () =>
      decideReview(state, {
        decision: 'approve',
        actualAmount: '100.00',
        mayExceed: true,
        ...noted,
      }),
    decline: () => decideReview(state, { decision: 'decline', ...noted }),
    cancel: () => cancel(state, { ...state, reason: 'c' }),
    close: () => closeOperationByHand(state, { note: 'n', nowIso }),
    upload: () => uploadReceipt(state, { receiptId: id, sha256: id, sizeBytes: 1, pdf: false }),
  }[person]();
  return 'events' in decided ? decided.events : [];
}

/** The operation and its log once each provider's last report was applied twice. */
export function liveSharedIds(plan: SharedIds) {
  const life = liveFrom(begun(plan));
  const { reports, last } = reportsOf(plan);
  let deferred: { dueAt: number; record: () => void }[] = [];
  const recordDue = (at: number) => {
    for (const { dueAt, record } of deferred) if (dueAt <= at) record();
    deferred = deferred.filter(({ dueAt }) => dueAt > at);
  };
  for (const [at, act] of plan.acts.entries()) {
    recordDue(at);
    if ('report' in act) {
      const report = reports[act.report % Math.max(reports.length, 1)];
      const defer = (record: () => void) =>
        void deferred.push({ dueAt: at + (act.lag ?? 0), record });
      if (report) life.report(report, { defer });
    } else life.apply(eventsOf(life.operation, act.person, `p${at}`));
  }
  recordDue(Infinity);
  for (const report of [...last, ...last]) life.report(report);
  return { ...life, last };
}
