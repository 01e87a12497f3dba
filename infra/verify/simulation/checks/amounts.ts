import type { LateEvent } from '#shared/domain/late/events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { toMinorNumber, type ProviderAttempt } from '../provider/attempt.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';

type CheckInput = {
  attempts: readonly ProviderAttempt[];
  events: readonly OperationEvent[];
  /** Late ones. */
  facts: readonly LateEvent[];
};

/**
 * Checks that the gateway's amount of each leg and each return is the provider's last one, with the
 * recorded differences.
 */
export function checkAmounts({ attempts, events, facts }: CheckInput, reportBroken: Find): void {
  const counts = countedBy(events, facts);
  for (const attempt of attempts) {
    const { legs, returns = [] } = attempt.report;
    const reported = new Map(
      [...legs, ...returns].map((each) => [each.leg_id, toMinorNumber(each.amount)]),
    );
    for (const id of new Set([...reported.keys(), ...counts.keys()])) {
      if (!id.startsWith(`${attempt.key}/`)) continue;
      const [counted, now] = [counts.get(id) ?? 0, reported.get(id) ?? 0];
      if (counted !== now)
        reportBroken('an amount is another one at its provider, and no entry has the difference', {
          id,
          counted,
          now,
          attempt,
          facts,
        });
    }
  }
}

/** By the id of the leg or return. */
function countedBy(
  events: readonly OperationEvent[],
  facts: readonly LateEvent[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (id: string, amount: number) => counts.set(id, (counts.get(id) ?? 0) + amount);
  for (const { type, data } of events) {
    if (type === 'LegReceived') add(data.leg.leg_id, toMinorNumber(data.leg.amount));
    else if (type === 'LegCorrected')
      add(data.leg.leg_id, toMinorNumber(data.leg.amount) - toMinorNumber(data.was));
    else if (type === 'LegReturned') add(data.returned.leg_id, toMinorNumber(data.counted));
    else if (type === 'OperationCompleted' || type === 'OperationPartiallyCompleted')
      for (const leg of data.legs) if (!leg.synthetic) add(leg.leg_id, toMinorNumber(leg.amount));
  }
  for (const { type, data } of facts)
    if ('leg' in data)
      add(
        type === 'DifferenceReported' ? data.corrects : data.leg.leg_id,
        toMinorNumber(data.leg.amount),
      );
  return counts;
}
