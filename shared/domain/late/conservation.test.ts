import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromMinor, toMinor } from '../ledger/minor.ts';
import type { Leg, OperationEvent, Returned } from '../operation/events.ts';
import { fold } from '../operation/evolve.ts';
import { applyReport } from '../operation/reports/apply-report.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import type { Operation } from '../operation/state.ts';
import { accepted, admitted, leg, route, started } from '../operation/testing/given.ts';
import type { LateEvent } from './events.ts';
import { evolveLate, recordLate } from './record.ts';
import { nothingLate, type LateState } from './state.ts';
import { eventsOfPerson, type Person } from './testing/shared-ids.ts';

type Status = ProviderReport['status'];
type Change =
  | { kind: 'leg'; id: number; amount: number }
  | { kind: 'return'; id: number; of: number; amount: number }
  | { kind: 'status'; status: Status };
const one = <Value>(...values: Value[]) => fc.constantFrom(...values);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: one('leg' as const), id: fc.nat(2), amount: one(0, 30, 50, 100, 120) }),
  fc.record({
    kind: one('return' as const),
    id: fc.nat(2),
    of: fc.nat(2),
    amount: one(10, 30, 100),
  }),
  fc.record({
    kind: one('status' as const),
    status: one<Status>('open', 'completed', 'declined', 'expired'),
  }),
);

/** `lag`: after how many acts the late facts of the report are recorded. */
type Act = { report: number; lag: number } | { person: Person };
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ report: fc.nat(9), lag: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      person: one<Person>('approve', 'decline', 'cancel', 'close', 'upload'),
    }),
  },
);

/** The reports of a provider, one after each change. */
function reportsOf(changes: readonly Change[], corrects: boolean): ProviderReport[] {
  const legs = new Map<string, Leg>();
  const returns = new Map<string, Returned>();
  let status: Status = 'open';
  const all: ProviderReport[] = [];
  const addReport = () =>
    all.push({
      attempt: 1,
      version: all.length + 1,
      status,
      legs: [...legs.values()],
      returns: [...returns.values()],
    });
  addReport();
  for (const each of changes) {
    if (each.kind === 'status') status = each.status;
    else if (each.kind === 'leg') {
      const id = `l${each.id}`;
      if (legs.has(id) && !corrects) continue;
      if (each.amount === 0) legs.delete(id);
      else legs.set(id, leg(id, `${each.amount}.00`));
    } else {
      const [id, of] = [`r${each.id}`, `l${each.of}`];
      if (returns.has(id) || !legs.has(of)) continue;
      const { file: _, ...back } = leg(id, `${each.amount}.00`);
      returns.set(id, { ...back, of_leg_id: of });
    }
    addReport();
  }
  return all;
}

function play(begun: OperationEvent[], reports: readonly ProviderReport[], acts: readonly Act[]) {
  const lateEvents: LateEvent[] = [];
  let operation = fold(begun) as Operation;
  let late: LateState = nothingLate;
  const last = reports.at(-1) as ProviderReport;
  let lagging: { dueAt: number; record: () => void }[] = [];
  const apply = (report: ProviderReport, dueAt: number) => {
    const applied = applyReport(operation, report);
    const current = fold(applied.events, operation) as Operation;
    operation = current;
    const record = () => {
      const { events } = recordLate(late, { operation: current, report, facts: applied.late });
      lateEvents.push(...events);
      late = events.reduce(evolveLate, late);
    };
    lagging.push({ dueAt, record });
  };
  const recordDue = (at: number) => {
    for (const { dueAt, record } of lagging) if (dueAt <= at) record();
    lagging = lagging.filter(({ dueAt }) => dueAt > at);
  };
  for (const [at, each] of acts.entries()) {
    recordDue(at);
    if ('report' in each) apply(reports[each.report % reports.length] ?? last, at + each.lag);
    else operation = fold(eventsOfPerson(operation, each.person, `p${at}`), operation) as Operation;
  }
  recordDue(Infinity);
  for (let times = 0; times < 2; times += 1) {
    apply(last, 0);
    recordDue(0);
  }
  return { operation, late, lateEvents, last };
}

/** The recorded amount of each leg, before returns, and of each return, by id. */
function recordedById({
  operation,
  late,
  lateEvents,
}: ReturnType<typeof play>): Map<string, bigint> {
  const recorded = new Map<string, bigint>();
  const add = (id: string, amount: string) =>
    recorded.set(id, (recorded.get(id) ?? 0n) + toMinor(amount));
  for (const each of operation.legs) if (!each.synthetic) add(each.leg_id, each.amount);
  for (const { legId, ofLegId, counted } of operation.returns) {
    add(legId, counted);
    if (operation.legs.some((each) => each.leg_id === ofLegId && !each.synthetic))
      add(ofLegId, counted);
  }
  for (const [id, { amount }] of Object.entries(late.legs)) add(id, amount);
  for (const [id, { amount }] of Object.entries(late.returns)) add(id, amount);
  for (const { type, data } of lateEvents)
    if (type === 'DifferenceReported' && data.of !== 'approval')
      add(data.corrects, data.leg.amount);
  return recorded;
}

const payout: OperationEvent[] = [
  admitted({ type: 'payout' }),
  started(1, route({ type: 'payout' })),
  { type: 'ReservationRequested', data: { reservation: 1, currency: 'RUB', amount: '102.50' } },
  { type: 'FundsReserved', data: { reservation: 1, attempt: 1 } },
  accepted(),
];
const beginnings = [
  [admitted(), started(), accepted()],
  [admitted(), started(), accepted(1, { confirmation_required: true })],
  payout,
];

it.each([false, true])(
  'conserves the money of each leg and return (corrects legs: %s) (R13.19)',
  (corrects) => {
    const histories = fc.record({
      begun: one(...beginnings),
      changes: fc.array(change, { maxLength: 7 }),
      acts: fc.array(act, { maxLength: 8 }),
    });
    fc.assert(
      fc.property(histories, ({ begun, changes, acts }) => {
        const played = play(begun, reportsOf(changes, corrects), acts);
        const { last } = played;
        const recorded = recordedById(played);
        const reported = new Map(
          [...last.legs, ...(last.returns ?? [])].map((each) => [each.leg_id, each.amount]),
        );
        for (const id of new Set([...recorded.keys(), ...reported.keys()]))
          expect(`${id}: ${fromMinor(recorded.get(id) ?? 0n)}`).toBe(
            `${id}: ${reported.get(id) ?? '0.00'}`,
          );
      }),
      { numRuns: 500 },
    );
  },
);
