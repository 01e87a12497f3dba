import type { LateFact } from '../operation/settle.ts';
import { attemptOf, type Operation } from '../operation/state.ts';
import type { LateEvent } from './events.ts';

/** What is kept of late facts to know them again: a report that comes twice adds nothing. */
export type LateState = {
  revision: number;
  legIds: readonly string[];
  statuses: readonly string[];
  /** What operators noted on contradicting ends, by the id of the event that reported one. */
  acknowledged: Readonly<Record<string, string>>;
};

export const nothingLate: LateState = { revision: -1, legIds: [], statuses: [], acknowledged: {} };

const statusKey = (attempt: number, status: string) => `${attempt} ${status}`;

export function evolveLate(state: LateState, { type, data }: LateEvent): LateState {
  const revision = state.revision + 1;
  switch (type) {
    case 'LateMoneyReceived':
      return { ...state, revision, legIds: [...state.legIds, data.leg.leg_id] };
    case 'LateStatusReported':
      return {
        ...state,
        revision,
        statuses: [...state.statuses, statusKey(data.attempt, data.reported_status)],
      };
    case 'LateStatusAcknowledged':
      return { ...state, revision, acknowledged: { ...state.acknowledged, [data.entry_id]: data.note } };
  }
}

/** Keeps the late facts of a report on an attempt, each once: money by its leg, a status by attempt and status. */
export function recordLate(
  state: LateState,
  { operation, attempt, facts }: { operation: Operation; attempt: number; facts: readonly LateFact[] },
): { events: LateEvent[] } {
  const about = {
    operation_id: operation.operationId,
    shop_id: operation.shopId,
    merchant_id: operation.merchantId,
    attempt,
    provider: attemptOf(operation, attempt)?.route.provider ?? 'unknown',
  };
  const events: LateEvent[] = [];
  for (const fact of facts) {
    if (fact.kind === 'late_money') {
      if (state.legIds.includes(fact.leg.leg_id)) continue;
      const data = { ...about, currency: operation.request.currency, leg: fact.leg };
      events.push({ type: 'LateMoneyReceived', data });
    } else if (!state.statuses.includes(statusKey(attempt, fact.status))) {
      const data = { ...about, reported_status: fact.status, operation_status: operation.status };
      events.push({ type: 'LateStatusReported', data });
    }
  }
  return { events };
}
