import { BigNumber } from 'bignumber.js';
import { compare, fromAmount, isZero, sum, toAmount, zero, type Amount } from '../money.ts';
import type { Leg } from '../operation/events.ts';
import { isOvertaken, type ProviderReport } from '../operation/reports/report.ts';
import type { LateFact } from '../operation/reports/late-facts.ts';
import {
  findAttempt,
  mayCountLegs,
  isTerminal,
  sharesAccount,
  type Operation,
} from '../operation/state.ts';
import { returnedSoFar } from './returned.ts';
import {
  approvedDue,
  approvedMissing,
  differencesIn,
  moneyKey,
  ownValue,
  type LateDifference,
} from './differences.ts';
import type { ByName, LateState } from './state.ts';
import { ofLegIds, providerLegIds, type LateEvent, type WayBack } from './events.ts';

/** The late facts in a report on an attempt. */
type LateReport = {
  operation: Operation;
  report: Pick<ProviderReport, 'attempt' | 'version' | 'status' | 'legs' | 'returns'>;
  facts: readonly LateFact[];
  /** The poll that it answers was sent before the operation's own end. */
  beforeEnd?: boolean;
};

type EventData<Type extends LateEvent['type']> = Extract<LateEvent, { type: Type }>['data'];

const lateKey = (attempt: number, what: string) => `${attempt} ${what}`;

export function evolveLate(before: LateState, { type, data }: LateEvent): LateState {
  const state = { ...before, revision: before.revision + 1, versions: versionsAfter(before, data) };
  switch (type) {
    case 'LateMoneyReceived':
      return { ...state, legs: withLeg(state, data) };
    case 'ApprovedMoneyConfirmed':
      return {
        ...state,
        confirmed: sum([state.confirmed, data.leg.amount]),
        ...(data.corrects === undefined
          ? { legs: withLeg(state, data) }
          : withDifference(state, { ...data, of: 'transfer', corrects: data.corrects })),
      };
    case 'MoneyReturned': {
      const { attempt, leg } = data;
      const ids = { ids: providerLegIds(data), ofLegIds: ofLegIds(data) };
      const { amount, completed_at: completedAt } = leg;
      const numbered = data.report_version !== undefined;
      const returned = { attempt, ...ids, amount, completedAt, numbered };
      return { ...state, returns: { ...state.returns, [leg.leg_id]: returned } };
    }
    case 'DifferenceReported':
      return { ...state, ...withDifference(state, data) };
    case 'LateLegCorrected': {
      const { attempt, leg_id: name, of_leg_id, reported_amount: reported } = data;
      const of = of_leg_id === undefined ? 'transfer' : 'return';
      const names = of === 'transfer' ? [name] : [name, ...providerLegIds(data)];
      const keyed = names.map((each) => [moneyKey(before, { of, attempt, name: each }), reported]);
      return { ...state, informed: { ...state.informed, ...Object.fromEntries(keyed) } };
    }
    case 'PayoutOvercharged':
      return { ...state, overcharged: true };
    case 'LateStatusReported':
      return {
        ...state,
        statuses: [...state.statuses, lateKey(data.attempt, data.reported_status)],
      };
    case 'LateStatusAcknowledged':
      return { ...state, acknowledged: { ...state.acknowledged, [data.entry_id]: data.note } };
  }
}

/** One leg may lead to two events: the part that confirms an approval, and the rest. */
function withLeg(
  { legs }: LateState,
  data: { attempt: number; leg: Leg; report_version?: number | undefined } & Parameters<
    typeof providerLegIds
  >[0],
): LateState['legs'] {
  const { attempt, leg } = data;
  const ids = providerLegIds(data);
  const amount = sum([ownValue(legs, leg.leg_id)?.amount ?? zero, leg.amount]);
  const numbered = data.report_version !== undefined;
  const recorded = { attempt, ids, amount, completedAt: leg.completed_at, numbered };
  return { ...legs, [leg.leg_id]: recorded };
}

/** The ledger has the difference from now on: in suspense, or as approved money. */
function withDifference(
  state: LateState,
  {
    attempt,
    of,
    corrects,
    leg,
  }: Pick<EventData<'DifferenceReported'>, 'attempt' | 'of'> & {
    corrects: string;
    leg: Pick<Leg, 'leg_id' | 'amount'>;
  },
): Pick<LateState, 'informed' | 'differences' | 'posted'> {
  const key = moneyKey(state, { of, attempt, name: corrects });
  const { [key]: _, ...informed } = state.informed;
  return {
    informed,
    differences: new Set([...state.differences, leg.leg_id]),
    posted: { ...state.posted, [key]: sum([state.posted[key] ?? zero, leg.amount]) },
  };
}

function versionsAfter({ versions }: LateState, data: LateEvent['data']): LateState['versions'] {
  if (!('report_version' in data) || data.report_version === undefined) return versions;
  return { ...versions, [data.attempt]: data.report_version };
}

/**
 * Records the late facts of a report once each: money by its leg, a status by attempt and status,
 * and differences from the ledger. Money of the accepted attempt first confirms what an operator
 * approved, as far as that has not come yet (R9.12).
 */
export function recordLate(
  before: LateState,
  { operation, report, facts, beforeEnd = false }: LateReport,
): { events: LateEvent[] } {
  const { attempt, version } = report;
  const newest = before.versions[attempt];
  const overtaken = version !== undefined && newest !== undefined && version < newest;
  if (overtaken || isOvertaken(operation, report)) return { events: [] };
  const about = {
    operation_id: operation.operationId,
    shop_id: operation.shopId,
    merchant_id: operation.merchantId,
    attempt,
    provider: findAttempt(operation, attempt)?.route.provider ?? 'unknown',
  };
  const by = version !== undefined && { report_version: version };
  const money = { ...about, ...by, currency: operation.request.currency };
  const events: LateEvent[] = [];
  let state = before;
  const add = (event: LateEvent) => {
    events.push(event);
    state = evolveLate(state, event);
  };
  const isThere = (recorded: ByName<unknown>, id: string) =>
    Object.values(recorded).some(
      (each) => each.ids.includes(id) && sharesAccount(operation, each.attempt, attempt),
    );
  for (const fact of facts) {
    if (fact.kind === 'late_money') {
      const id = fact.leg.leg_id;
      if (isThere(state.legs, id)) continue;
      const { leg_id, ...ownId } = lateLegName(state, { recorded: state.legs, attempt, id });
      const leg = { ...fact.leg, leg_id };
      const data = { ...money, ...ownId };
      const due = operation.accepted?.attempt === attempt ? approvedDue(state, operation) : zero;
      const { confirms, excess } = split(leg, due);
      if (confirms) add({ type: 'ApprovedMoneyConfirmed', data: { ...data, leg: confirms } });
      if (excess) add({ type: 'LateMoneyReceived', data: { ...data, leg: excess } });
    } else if (fact.kind === 'late_return') {
      if (isThere(state.returns, fact.returned.leg_id)) continue;
      const data = {
        ...money,
        ...lateReturn(state, { operation, attempt, fact }),
        ...(isTerminal(operation.status) && {
          total: sum([returnedSoFar(operation, state), fact.amount]),
        }),
      };
      add({ type: 'MoneyReturned', data });
    } else if (!state.statuses.includes(lateKey(attempt, fact.status))) {
      const data = { ...about, reported_status: fact.status, operation_status: operation.status };
      add({ type: 'LateStatusReported', data });
    }
  }
  const isNew = version !== newest;
  recordDifferences({ operation, report, beforeEnd, isNew, money }, { state: () => state, add });
  return { events };
}

/** Differences from the ledger. More of a transfer first confirms what an operator approved. */
function recordDifferences(
  {
    operation,
    report,
    beforeEnd,
    isNew,
    money,
  }: Pick<LateReport, 'operation' | 'report'> & {
    beforeEnd: boolean;
    isNew: boolean;
    money: Omit<EventData<'DifferenceReported'>, keyof LateDifference | 'leg'>;
  },
  { state, add }: { state(): LateState; add(event: LateEvent): void },
): void {
  const addDifference = ({
    counted_amount,
    reported_amount,
    completed_at,
    ...difference
  }: LateDifference) => {
    const amount = toAmount(fromAmount(reported_amount).minus(counted_amount));
    const leg = { leg_id: differenceName(state(), difference.corrects), amount, completed_at };
    const amounts = { leg, counted_amount, reported_amount };
    add({ type: 'DifferenceReported', data: { ...money, ...difference, ...amounts } });
  };
  const all = isNew ? differencesIn(state(), { operation, report, beforeEnd }) : [];
  for (const difference of all) {
    const confirms = confirmedBy(state(), { operation, report, difference });
    if (confirms) add({ type: 'ApprovedMoneyConfirmed', data: { ...money, ...confirms } });
    const counted_amount = sum([difference.counted_amount, confirms?.leg.amount ?? zero]);
    if (compare(counted_amount, difference.reported_amount) !== 0)
      addDifference({ ...difference, counted_amount });
  }
  if (!beforeEnd) approvedMissing(state(), { operation, report }).forEach(addDifference);
}

/** The part of a transfer's increase that is the approved money; undefined if there is none. */
function confirmedBy(
  state: LateState,
  {
    operation,
    report: { attempt, legs },
    difference: { of, corrects, provider_leg_id, counted_amount, reported_amount },
  }: Pick<LateReport, 'operation' | 'report'> & { difference: LateDifference },
) {
  const reported = legs.find(({ leg_id: id }) => id === provider_leg_id);
  const increase = fromAmount(reported_amount).minus(counted_amount);
  const isAccepted = operation.accepted?.attempt === attempt;
  if (of !== 'transfer' || !reported || !isAccepted || !increase.isPositive()) return undefined;
  const leg = { ...reported, leg_id: differenceName(state, corrects), amount: toAmount(increase) };
  const { confirms } = split(leg, approvedDue(state, operation));
  return confirms && { leg: confirms, corrects, provider_leg_id };
}

/**
 * The id of a leg or a return among those that came late: the provider's, unless one of another
 * account has it, and then with the attempt before it, as in `2:id`.
 */
function lateLegName(
  { differences }: LateState,
  { recorded, attempt, id }: { recorded: ByName<unknown>; attempt: number; id: string },
) {
  let name = id;
  while (Object.hasOwn(recorded, name) || differences.has(name)) name = `${attempt}:${name}`;
  return { leg_id: name, ...(name !== id && { provider_leg_id: id }) };
}

/** The name of the next difference of a leg, a return or an approval. */
function differenceName({ legs, returns, differences }: LateState, corrects: string): string {
  const isIdTaken = (name: string) =>
    differences.has(name) || Object.hasOwn(legs, name) || Object.hasOwn(returns, name);
  let next = 1;
  while (isIdTaken(`${corrects}:corrected-${next}`)) next += 1;
  return `${corrects}:corrected-${next}`;
}

/** The late part of a return, and by how much it exceeds its leg, which an operator has to know. */
function lateReturn(
  state: LateState,
  {
    operation,
    attempt,
    fact: { returned, amount },
  }: {
    operation: Operation;
    attempt: number;
    fact: Extract<LateFact, { kind: 'late_return' }>;
  },
) {
  const { legs, returns } = state;
  const { leg_id: id, of_leg_id, completed_at } = returned;
  const isOurs = (each: { attempt: number }) => sharesAccount(operation, each.attempt, attempt);
  const counted = mayCountLegs(operation, attempt)
    ? operation.legs.filter((leg) => leg.leg_id === of_leg_id && !leg.synthetic)
    : [];
  const late = Object.values(legs).filter((each) => each.ids.includes(of_leg_id) && isOurs(each));
  const brought = sum([...counted, ...late].map((leg) => leg.amount));
  const before = Object.values(returns)
    .filter(isOurs)
    .filter((each) => each.ofLegIds.includes(of_leg_id));
  const totalReturned = sum([...before.map((each) => each.amount), amount]);
  const beyond = fromAmount(totalReturned).minus(brought);
  const kind: WayBack = operation.type === 'payout' ? 'returned' : 'charged_back';
  const { leg_id, ...ownId } = lateLegName(state, { recorded: returns, attempt, id });
  return {
    ...ownId,
    kind,
    of_leg_id,
    leg: { leg_id, amount, completed_at },
    ...(beyond.isPositive() &&
      !beyond.isZero() && { beyond: toAmount(BigNumber.min(beyond, fromAmount(amount))) }),
  };
}

/** The part of a leg that confirms approved money, and the part beyond it. */
function split(leg: Leg, due: Amount): { confirms?: Leg; excess?: Leg } {
  if (isZero(due)) return { excess: leg };
  if (compare(leg.amount, due) <= 0) return { confirms: leg };
  const excess = toAmount(fromAmount(leg.amount).minus(due));
  return { confirms: { ...leg, amount: due }, excess: { ...leg, amount: excess } };
}
