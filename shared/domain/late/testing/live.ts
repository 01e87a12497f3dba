import type { OperationEvent } from '../../operation/events.ts';
import { fold } from '../../operation/evolve.ts';
import { applyReport } from '../../operation/reports/apply-report.ts';
import type { ProviderReport } from '../../operation/reports/report.ts';
import { noOperation, type Operation, type OperationState } from '../../operation/state.ts';
import type { LateEvent } from '../events.ts';
import { evolveLate, recordLate } from '../record.ts';
import { nothingLate, type LateState } from '../state.ts';

type Written = { of: 'operation' | 'late'; type: string; data: object };
type State = { operation: OperationState; late: LateState };

/** An operation that gets events and reports one by one; `log` has all its events in their order. */
export function liveFrom(
  begun: readonly OperationEvent[],
  before: State = { operation: noOperation, late: nothingLate },
) {
  const lateEvents: LateEvent[] = [];
  const log: Written[] = begun.map((event) => ({ of: 'operation', ...event }));
  const life = {
    operation: fold(begun, before.operation) as Operation,
    late: before.late,
    lateEvents,
    log,
    apply(events: readonly OperationEvent[]): void {
      life.operation = fold(events, life.operation) as Operation;
      for (const event of events) log.push({ of: 'operation', ...event });
    },
    /** Its late facts are recorded when `defer` calls its argument. */
    report(
      report: ProviderReport,
      { beforeEnd = false, defer = (record: () => void) => record() } = {},
    ): void {
      const applied = applyReport(life.operation, report);
      life.apply(applied.events);
      const reported = { operation: life.operation, report, facts: applied.late, beforeEnd };
      defer(() => {
        const { events } = recordLate(life.late, reported);
        life.late = events.reduce(evolveLate, life.late);
        lateEvents.push(...events);
        for (const event of events) log.push({ of: 'late', ...event });
      });
    },
  };
  return life;
}
