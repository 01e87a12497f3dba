import { BigNumber } from 'bignumber.js';
import { compare, fromAmount, isZero, sum, toAmount, zero, type Amount } from '../money.ts';
import type { Leg } from '../operation/events.ts';
import { isOvertaken, type ProviderReport } from '../operation/reports/report.ts';
import type { LateFact } from '../operation/reports/late-facts.ts';
import { attemptOf, countsLegsOf, sharesAccount, type Operation } from '../operation/state.ts';
import { ofLegIds, providerLegIds, type LateEvent, type WayBack } from './events.ts';

/** The late facts in a report on an attempt. */
type LateReport = {
  operation: Operation;
  report: Pick<ProviderReport, 'attempt' | 'version' | 'status' | 'legs' | 'returns'>;
  facts: readonly LateFact[];
};

type Known = { attempt: number; ids: ReturnType<typeof providerLegIds> };

/** By name. `ids` are the provider's: two accounts may give different money one id. */
type ByName<What> = Readonly<Record<string, What & Known>>;

/**
 * A leg that came after the end: as it was first counted, to suspense or to what was approved, and
 * as the provider reports it now.
 */
type LateLeg = { counted: Amount; reported: Amount };

/** What is kept of late facts to recognise repeats: a report that comes twice adds no event. */
export type LateState = {
  revision: number;
  /** What went back; `ofLegIds` are the provider's of the leg. */
  returns: ByName<{ ofLegIds: Known['ids']; amount: Amount }>;
  /** What went back, by attempt and the provider's id, as the provider corrected it since. */
  changed: Readonly<Record<string, Amount>>;
  legs: ByName<LateLeg>;
  /**
   * Legs that the operation itself counts, as the provider corrected them since, where the
   * operation does not count them so.
   */
  corrected: Readonly<Record<string, Amount>>;
  /** How much of what an operator approved has come. */
  confirmed: Amount;
  /**
   * By attempt, the newest report that brought a late fact. A report that brings nothing leaves no
   * event, here and in the operation: an older one that arrives after it is taken, and may end the
   * operation. When the newer one is told again, it corrects that: the leg itself while the
   * operation is open, else by a fact for an operator (`LateLegCorrected`).
   */
  versions: Readonly<Record<number, number>>;
  statuses: readonly string[];
  /** An operator was informed that the payout cost more than agreed. */
  overcharged: boolean;
  /** Operators' notes on facts without money, by the id of the event that reported the fact. */
  acknowledged: Readonly<Record<string, string>>;
};

export const nothingLate: LateState = {
  revision: -1,
  returns: {},
  changed: {},
  legs: {},
  corrected: {},
  confirmed: zero,
  versions: {},
  statuses: [],
  overcharged: false,
  acknowledged: {},
};

const keyOf = (attempt: number, what: string) => `${attempt} ${what}`;

export function evolveLate(before: LateState, { type, data }: LateEvent): LateState {
  const state = { ...before, revision: before.revision + 1, versions: versionsAfter(before, data) };
  switch (type) {
    case 'LateMoneyReceived':
      return { ...state, legs: withLeg(state, data) };
    case 'ApprovedMoneyConfirmed':
      return {
        ...state,
        legs: withLeg(state, data),
        confirmed: sum([state.confirmed, data.leg.amount]),
      };
    case 'MoneyReturned': {
      const { attempt, leg } = data;
      const ids = { ids: providerLegIds(data), ofLegIds: ofLegIds(data) };
      const returned = { attempt, ...ids, amount: leg.amount };
      return { ...state, returns: { ...state.returns, [leg.leg_id]: returned } };
    }
    case 'LateLegCorrected': {
      const { leg_id: id, counted_amount: counted, reported_amount: reported } = data;
      if (data.of_leg_id !== undefined) {
        const late: readonly string[] = own(state.returns, id)?.ids ?? [];
        const ids = providerLegIds(data);
        const all = late.includes(ids[0]) ? late : ids;
        const keyed = all.map((each) => [keyOf(data.attempt, each), reported]);
        return { ...state, changed: { ...state.changed, ...Object.fromEntries(keyed) } };
      }
      const late = own(state.legs, id);
      if (late?.attempt === data.attempt)
        return { ...state, legs: { ...state.legs, [id]: { ...late, reported } } };
      const { [id]: _, ...others } = state.corrected;
      if (compare(reported, counted) === 0) return { ...state, corrected: others };
      return { ...state, corrected: { ...others, [id]: reported } };
    }
    case 'PayoutOvercharged':
      return { ...state, overcharged: true };
    case 'LateStatusReported':
      return {
        ...state,
        statuses: [...state.statuses, keyOf(data.attempt, data.reported_status)],
      };
    case 'LateStatusAcknowledged':
      return { ...state, acknowledged: { ...state.acknowledged, [data.entry_id]: data.note } };
  }
}

/** A provider's leg id may be any text, also the name of a property that every object has. */
const own = <Value>(of: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(of, key) ? of[key] : undefined;

/** One leg may lead to two events: the part that confirms an approval, and the rest. */
function withLeg(
  { legs }: LateState,
  data: { attempt: number; leg: Leg } & Parameters<typeof providerLegIds>[0],
): LateState['legs'] {
  const { attempt, leg } = data;
  const ids = providerLegIds(data);
  const amount = sum([own(legs, leg.leg_id)?.counted ?? zero, leg.amount]);
  return { ...legs, [leg.leg_id]: { attempt, ids, counted: amount, reported: amount } };
}

function versionsAfter({ versions }: LateState, data: LateEvent['data']): LateState['versions'] {
  if (!('report_version' in data) || data.report_version === undefined) return versions;
  return { ...versions, [data.attempt]: data.report_version };
}

/**
 * Keeps the late facts of a report, each once: money by its leg, a status by attempt and status, a
 * leg by each amount that the provider corrects it to. Money of the accepted attempt is first what
 * an operator approved, as far as that has not come yet (R9.12).
 */
export function recordLate(
  before: LateState,
  { operation, report, facts }: LateReport,
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
    provider: attemptOf(operation, attempt)?.route.provider ?? 'unknown',
  };
  const by = version !== undefined && { report_version: version };
  const money = { ...about, ...by, currency: operation.request.currency };
  const events: LateEvent[] = [];
  let state = before;
  const add = (event: LateEvent) => {
    events.push(event);
    state = evolveLate(state, event);
  };
  const isThere = (known: ByName<unknown>, id: string) =>
    Object.values(known).some(
      (each) => each.ids.includes(id) && sharesAccount(operation, each.attempt, attempt),
    );
  for (const fact of facts) {
    if (fact.kind === 'late_money') {
      const id = fact.leg.leg_id;
      if (isThere(state.legs, id)) continue;
      const { leg_id, ...ownId } = lateNameOf(state.legs, { attempt, id });
      const leg = { ...fact.leg, leg_id };
      const data = { ...money, ...ownId };
      const due = operation.accepted?.attempt === attempt ? stillDue(operation, state) : zero;
      const { confirms, excess } = split(leg, due);
      if (confirms) add({ type: 'ApprovedMoneyConfirmed', data: { ...data, leg: confirms } });
      if (excess) add({ type: 'LateMoneyReceived', data: { ...data, leg: excess } });
    } else if (fact.kind === 'late_return') {
      if (isThere(state.returns, fact.returned.leg_id)) continue;
      const data = { ...money, ...returnOf(state, { operation, attempt, fact }) };
      add({ type: 'MoneyReturned', data });
    } else if (!state.statuses.includes(keyOf(attempt, fact.status))) {
      const data = { ...about, reported_status: fact.status, operation_status: operation.status };
      add({ type: 'LateStatusReported', data });
    }
  }
  if (version === undefined || version === newest) return { events };
  const legs = changedLegs(before, { operation, report });
  for (const amounts of [...legs, ...changedReturns(before, { operation, report })])
    add({ type: 'LateLegCorrected', data: { ...money, ...amounts, report_version: version } });
  return { events };
}

/**
 * The id of a leg or a return among those that came late: the provider's, unless one of another
 * account has it, and then with the attempt before it, as in `2:id`.
 */
function lateNameOf(
  known: ByName<unknown>,
  { attempt, id }: { attempt: number; id: string },
): ReturnType<typeof named> {
  let name = id;
  while (Object.hasOwn(known, name)) name = `${attempt}:${name}`;
  return named(name, id);
}

const named = (name: string, id: string) => ({
  leg_id: name,
  ...(name !== id && { provider_leg_id: id }),
});

/** The late part of a return, and by how much it exceeds its leg: an operator has to know. */
function returnOf(
  { legs, returns }: LateState,
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
  const { leg_id: id, of_leg_id, completed_at } = returned;
  const isOurs = (each: { attempt: number }) => sharesAccount(operation, each.attempt, attempt);
  const counted = countsLegsOf(operation, attempt)
    ? operation.legs.filter((leg) => leg.leg_id === of_leg_id && !leg.synthetic)
    : [];
  const late = Object.values(legs).filter((each) => each.ids.includes(of_leg_id) && isOurs(each));
  const brought = sum([...counted.map((leg) => leg.amount), ...late.map((leg) => leg.counted)]);
  const before = Object.values(returns)
    .filter(isOurs)
    .filter((each) => each.ofLegIds.includes(of_leg_id));
  const gone = sum([...before.map((each) => each.amount), amount]);
  const beyond = fromAmount(gone).minus(brought);
  const kind: WayBack = operation.type === 'payout' ? 'returned' : 'charged_back';
  const { leg_id, ...ownId } = lateNameOf(returns, { attempt, id });
  return {
    ...ownId,
    kind,
    of_leg_id,
    leg: { leg_id, amount, completed_at },
    ...(beyond.isPositive() &&
      !beyond.isZero() && { beyond: toAmount(BigNumber.min(beyond, fromAmount(amount))) }),
  };
}

/**
 * Legs of the attempt that were reported before, and that this report has with another amount than
 * the last one, or no longer has. Each as it came, with what went back of it: an open operation
 * takes every correction, but for the part of a leg that went back already.
 */
function changedLegs(
  { legs, corrected }: LateState,
  { operation, report: { attempt, legs: told } }: Pick<LateReport, 'operation' | 'report'>,
) {
  const ours =
    operation.accepted?.attempt === attempt
      ? operation.legs.filter(({ synthetic }) => !synthetic)
      : [];
  const before = ours.map(({ leg_id: legId, amount }) => {
    const back = operation.returns.filter(({ ofLegId }) => ofLegId === legId);
    const whole = sum([amount, ...back.map((each) => each.counted)]);
    return {
      name: legId,
      ids: [legId] as const,
      counted: whole,
      last: own(corrected, legId) ?? whole,
    };
  });
  const late = Object.entries(legs)
    .filter(([, leg]) => leg.attempt === attempt)
    .map(([name, { ids, counted, reported }]) => ({ name, ids, counted, last: reported }));
  return [...before, ...late].flatMap(({ name, ids, counted: counted_amount, last }) => {
    const { id, amount: reported_amount } = toldOf(ids, told);
    const amounts = { ...named(name, id), counted_amount, reported_amount };
    return compare(reported_amount, last) === 0 ? [] : [amounts];
  });
}

/**
 * Returns of the attempt that were reported before, and that this report has with another amount
 * than the last one, or no longer has.
 */
function changedReturns(
  { returns, changed }: LateState,
  { operation, report: { attempt, returns: told = [] } }: Pick<LateReport, 'operation' | 'report'>,
) {
  const counted = operation.accepted?.attempt === attempt ? operation.returns : [];
  const ours = counted.map(({ legId, ofLegId, amount }) => ({
    name: legId,
    ids: [legId] as const,
    ofLegIds: [ofLegId] as const,
    amount,
  }));
  const before = new Set(counted.map(({ legId }) => legId));
  const late = Object.entries(returns)
    .filter(([, each]) => each.attempt === attempt && !before.has(each.ids[0]))
    .map(([name, each]) => ({ name, ...each }));
  return [...ours, ...late].flatMap(({ name, ids, ofLegIds: [of_leg_id], amount }) => {
    const { id, amount: reported_amount } = toldOf(ids, told);
    const last = own(changed, keyOf(attempt, ids[0])) ?? amount;
    const amounts = { of_leg_id, counted_amount: amount, reported_amount };
    return compare(reported_amount, last) === 0 ? [] : [{ ...named(name, id), ...amounts }];
  });
}

/** What a report has of one of the ids. */
function toldOf(ids: Known['ids'], told: readonly { leg_id: string; amount: Amount }[]) {
  const [first] = ids;
  const found = ids
    .map((id) => told.find((each) => each.leg_id === id))
    .find((each) => each !== undefined);
  return { id: found?.leg_id ?? first, amount: found?.amount ?? zero };
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
