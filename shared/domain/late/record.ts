import { compare, fromAmount, isZero, sum, toAmount, zero, type Amount } from '../money.ts';
import type { Leg } from '../operation/events.ts';
import type { LateFact } from '../operation/settle.ts';
import { attemptOf, type Operation } from '../operation/state.ts';
import type { LateEvent } from './events.ts';

/** What is kept of late facts to know them again: a report that comes twice adds nothing. */
export type LateState = {
  revision: number;
  legIds: readonly string[];
  /** So much of what an operator approved has come. */
  confirmed: Amount;
  statuses: readonly string[];
  /** What operators noted on contradicting ends, by the id of the event that reported one. */
  acknowledged: Readonly<Record<string, string>>;
};

export const nothingLate: LateState = {
  revision: -1,
  legIds: [],
  confirmed: zero,
  statuses: [],
  acknowledged: {},
};

const statusKey = (attempt: number, status: string) => `${attempt} ${status}`;

export function evolveLate(state: LateState, { type, data }: LateEvent): LateState {
  const revision = state.revision + 1;
  switch (type) {
    case 'LateMoneyReceived':
      return { ...state, revision, legIds: [...state.legIds, data.leg.leg_id] };
    case 'ApprovedMoneyConfirmed': {
      const { leg_id: legId, amount } = data.leg;
      const confirmed = sum([state.confirmed, amount]);
      return { ...state, revision, legIds: [...state.legIds, legId], confirmed };
    }
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

/**
 * Keeps the late facts of a report on an attempt, each once: money by its leg, a status by attempt and status. Money of
 * the accepted attempt is first what an operator approved, as far as that has not come yet (contract §4).
 */
export function recordLate(
  before: LateState,
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
  let state = before;
  const add = (event: LateEvent) => {
    events.push(event);
    state = evolveLate(state, event);
  };
  for (const fact of facts) {
    if (fact.kind === 'late_money') {
      const { leg } = fact;
      if (state.legIds.includes(leg.leg_id)) continue;
      const money = { ...about, currency: operation.request.currency };
      const due = operation.accepted?.attempt === attempt ? stillDue(operation, state) : zero;
      const { confirms, excess } = split(leg, due);
      if (confirms) add({ type: 'ApprovedMoneyConfirmed', data: { ...money, leg: confirms } });
      if (excess) add({ type: 'LateMoneyReceived', data: { ...money, leg: excess } });
    } else if (!state.statuses.includes(statusKey(attempt, fact.status))) {
      const data = { ...about, reported_status: fact.status, operation_status: operation.status };
      add({ type: 'LateStatusReported', data });
    }
  }
  return { events };
}

/** What an operator approved and no leg has confirmed yet. */
function stillDue({ legs }: Operation, { confirmed }: LateState): Amount {
  const approved = sum(legs.filter(({ synthetic }) => synthetic).map(({ amount }) => amount));
  return toAmount(fromAmount(approved).minus(confirmed));
}

/** The part of a leg that confirms what is due, and the part beyond it. */
function split(leg: Leg, due: Amount): { confirms?: Leg; excess?: Leg } {
  if (isZero(due)) return { excess: leg };
  if (compare(leg.amount, due) <= 0) return { confirms: leg };
  const excess = toAmount(fromAmount(leg.amount).minus(due));
  return { confirms: { ...leg, amount: due }, excess: { ...leg, amount: excess } };
}
