import { fold } from '../../operation/evolve.ts';
import type { OperationEvent } from '../../operation/events.ts';
import { applyReport } from '../../operation/reports/apply-report.ts';
import type { ProviderReport } from '../../operation/reports/report.ts';
import { mayCountLegs, sharesAccount, type Operation } from '../../operation/state.ts';
import { decodeLateEvent, type LateEvent } from '../events.ts';
import { evolveLate, recordLate } from '../record.ts';
import { nothingLate, type LateState } from '../state.ts';
import { liveFrom } from './live.ts';

/** The newest version of each type that had no field for the provider's own id. */
const olderVersions: Readonly<Record<string, number>> = {
  LateMoneyReceived: 2,
  ApprovedMoneyConfirmed: 1,
  MoneyReturned: 1,
  LateLegCorrected: 3,
};

const versionOf = (type: string) => olderVersions[type] ?? 1;

type Written = { of: 'operation' | 'late'; type: string; data: object; schemaVersion?: number };

/**
 * The late facts and events that the previous version recorded for these reports: it prefixed the
 * second use of an id with its attempt, permanently and in the whole report.
 */
export function historyOfPreviousVersion(
  begun: readonly OperationEvent[],
  reports: readonly ProviderReport[],
) {
  let operation = fold(begun) as Operation;
  let late = nothingLate;
  const written: LateEvent[] = [];
  const log: Written[] = begun.map((event) => ({ of: 'operation', ...event }));
  for (const report of reports) {
    const applied = applyReport(operation, report);
    operation = fold(applied.events, operation) as Operation;
    for (const event of applied.events) log.push({ of: 'operation', ...event });
    const name = namesBy(operation, { late, attempt: report.attempt });
    const named = {
      ...report,
      legs: report.legs.map((each) => ({ ...each, leg_id: name.leg(each.leg_id) })),
      returns: report.returns?.map(name.back),
    };
    const facts = applied.late.map((fact) => {
      if (fact.kind === 'late_money')
        return { ...fact, leg: { ...fact.leg, leg_id: name.leg(fact.leg.leg_id) } };
      return fact.kind === 'late_return' ? { ...fact, returned: name.back(fact.returned) } : fact;
    });
    const recorded = recordLate(late, { operation, report: named, facts });
    const events = recorded.events.flatMap(asCorrection);
    late = events.reduce(evolveLate, late);
    written.push(...events);
    for (const event of events)
      log.push({ of: 'late', ...event, schemaVersion: versionOf(event.type) });
  }
  const read = written.map((event) =>
    decodeLateEvent({ ...event, metadata: { schema_version: versionOf(event.type) } }),
  );
  return { operation, log, written, read, late: read.reduce(evolveLate, nothingLate) };
}

/** Differences were recorded without an entry, and missing money was not recorded. */
function asCorrection(event: LateEvent): LateEvent[] {
  if (event.type !== 'DifferenceReported') return [event];
  const { of, corrects: leg_id, leg: _, report_version = 0, ...data } = event.data;
  if (of === 'approval') return [];
  const ownId = data.provider_leg_id === leg_id ? { provider_leg_id: undefined } : {};
  return [{ type: 'LateLegCorrected', data: { ...data, ...ownId, leg_id, report_version } }];
}

/** What the current version adds for these reports. */
export function continueWithCurrentVersion(
  before: { operation: Operation; late: LateState },
  reports: readonly ProviderReport[],
) {
  const life = liveFrom([], before);
  for (const report of reports) life.report(report);
  return { ...life, events: life.lateEvents };
}

type RecordedIds = Readonly<Record<string, { attempt: number }>>;

function namesBy(operation: Operation, { late, attempt }: { late: LateState; attempt: number }) {
  const counts = mayCountLegs(operation, attempt);
  const nameBy = (own: readonly string[], recordedIds: RecordedIds) => (id: string) => {
    const before = Object.hasOwn(recordedIds, id) ? recordedIds[id] : undefined;
    if (!before && !own.includes(id)) return id;
    const isOurs = before && sharesAccount(operation, before.attempt, attempt);
    return isOurs || (counts && own.includes(id)) ? id : `${attempt}:${id}`;
  };
  const leg = nameBy(
    operation.legs.flatMap((each) => (each.synthetic ? [] : [each.leg_id])),
    late.legs,
  );
  const id = nameBy(
    operation.returns.map(({ legId }) => legId),
    late.returns,
  );
  return {
    leg,
    back: <Back extends { leg_id: string; of_leg_id: string }>(each: Back): Back => ({
      ...each,
      leg_id: id(each.leg_id),
      of_leg_id: leg(each.of_leg_id),
    }),
  };
}
