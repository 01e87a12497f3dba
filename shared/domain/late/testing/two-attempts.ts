import type { OperationEvent } from '../../operation/events.ts';
import type { ProviderReport } from '../../operation/reports/report.ts';
import { accepted, admitted, route, started } from '../../operation/testing/given.ts';
import { liveFrom } from './live.ts';

/** The first attempt is unresolved, and the second is accepted on another route. */
export const cascade = (first: object, second: object): OperationEvent[] => [
  admitted(),
  started(1, route(first)),
  { type: 'AttemptUnresolved', data: { attempt: 1, cause: 'timeout' } },
  started(2, route(second)),
  accepted(2),
];

export const atTwoProviders = cascade({ provider: 'one' }, { provider: 'other' });

/** Applies the reports one by one, on the second attempt unless they name another. */
export function live(
  begun: readonly OperationEvent[],
  reports: readonly Partial<ProviderReport>[],
) {
  const life = liveFrom(begun);
  for (const report of reports) life.report({ attempt: 2, status: 'open', legs: [], ...report });
  return life;
}
