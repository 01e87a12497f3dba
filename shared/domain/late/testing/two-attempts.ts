import { fold } from '../../operation/evolve.ts';
import type { OperationEvent } from '../../operation/events.ts';
import { applyReport } from '../../operation/reports/apply-report.ts';
import type { ProviderReport } from '../../operation/reports/report.ts';
import type { Operation } from '../../operation/state.ts';
import { accepted, admitted, route, started } from '../../operation/testing/given.ts';
import type { LateEvent } from '../events.ts';
import { evolveLate, recordLate } from '../record.ts';
import { nothingLate } from '../state.ts';

/** The first attempt is unresolved, and the second is accepted on another route. */
export const cascade = (first: object, second: object): OperationEvent[] => [
  admitted(),
  started(1, route(first)),
  { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
  started(2, route(second)),
  accepted(2),
];

export const atTwoProviders = cascade({ provider: 'one' }, { provider: 'other' });

type Written = { of: 'operation' | 'late'; type: string; data: object };

/** Applies the reports one by one; `log` has all events in their order. */
export function live(
  begun: readonly OperationEvent[],
  reports: readonly Partial<ProviderReport>[],
) {
  let operation = fold(begun) as Operation;
  let late = nothingLate;
  const lateEvents: LateEvent[] = [];
  const log: Written[] = begun.map((event) => ({ of: 'operation', ...event }));
  for (const partial of reports) {
    const report: ProviderReport = { attempt: 2, status: 'open', legs: [], ...partial };
    const applied = applyReport(operation, report);
    operation = fold(applied.events, operation) as Operation;
    for (const event of applied.events) log.push({ of: 'operation', ...event });
    const recorded = recordLate(late, { operation, report, facts: applied.late });
    lateEvents.push(...recorded.events);
    for (const event of recorded.events) log.push({ of: 'late', ...event });
    late = recorded.events.reduce(evolveLate, late);
  }
  return { operation, log, lateEvents };
}
