import { compare, fromAmount, isZero, sum, toAmount, zero, type Amount } from '../money.ts';
import type { ProviderReport } from '../operation/reports/report.ts';
import type { Operation } from '../operation/state.ts';
import type { LateEvent } from './events.ts';
import type { LateState } from './state.ts';

/** The difference between a provider's record of an operation's money and the ledger's (R13.19). */

type Data = Extract<LateEvent, { type: 'DifferenceReported' }>['data'];
export type LateDifference = Pick<Data, 'of' | 'corrects' | 'of_leg_id' | 'provider_leg_id'> &
  Record<'counted_amount' | 'reported_amount' | 'completed_at', string>;

type ReportedAttempt = {
  operation: Operation;
  report: Pick<ProviderReport, 'attempt' | 'version' | 'status' | 'legs' | 'returns'>;
};

/** A provider's leg id may be any text, even `__proto__`. */
export const ownValue = <Value>(
  of: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined => (Object.hasOwn(of, key) ? of[key] : undefined);

/**
 * The key of an attempt's money: a leg or an approval by its name. A return has the provider's id,
 * which its part before the end and its late part share.
 */
export function moneyKey(
  { returns }: Pick<LateState, 'returns'>,
  { of, attempt, name }: { of: Data['of']; attempt: number; name: string },
): string {
  const lateReturn = of === 'return' ? ownValue(returns, name) : undefined;
  return `${of} ${attempt} ${lateReturn?.attempt === attempt ? lateReturn.ids[0] : name}`;
}

type Money = {
  name: string;
  ids: readonly [string, ...string[]];
  ofLegId?: string;
  amount: Amount;
  completedAt: string;
  numbered?: boolean;
};

/**
 * The legs and returns for which a newer report has another amount than the ledger, or that it no
 * longer has. An open operation records corrections of its legs itself, except for the part that
 * was already returned. The response to a poll from before the end may be older than what reports
 * without a version have added since.
 */
export function differencesIn(
  state: LateState,
  { operation, report, beforeEnd = false }: ReportedAttempt & { beforeEnd?: boolean },
): LateDifference[] {
  const { attempt, version, legs, returns = [] } = report;
  if (version === undefined) return [];
  const received = originalLegs(state, { operation, attempt }).filter(isClear(legs));
  const back = attemptReturns(state, { operation, attempt }).filter(isClear(returns));
  const mayBeOlder = ({ money }: { money: Money }) => beforeEnd && money.numbered === false;
  const all = [
    ...received.map((money) => ({ of: 'transfer', money }) as const),
    ...back.map((money) => ({ of: 'return', money }) as const),
  ].filter((each) => !mayBeOlder(each));
  return all.flatMap(
    ({ of, money: { name, ids, ofLegId, amount, completedAt } }): LateDifference[] => {
      const key = moneyKey(state, { of, attempt, name });
      const counted = sum([amount, ownValue(state.posted, key) ?? zero]);
      const { id, amount: reported } = findReported(ids, of === 'transfer' ? legs : returns);
      const informed = ownValue(state.informed, key);
      const isRecorded = informed !== undefined && compare(informed, reported) === 0;
      if (isRecorded || compare(counted, reported) === 0) return [];
      const amounts = { counted_amount: counted, reported_amount: reported };
      const ofLeg = ofLegId !== undefined && { of_leg_id: ofLegId };
      const about = { of, corrects: name, provider_leg_id: id, completed_at: completedAt };
      return [{ ...about, ...ofLeg, ...amounts }];
    },
  );
}

/**
 * Whether a report without a version contradicts what numbered reports on the attempt have
 * recorded: it has another amount for a leg or a return, or lacks a return of a leg that it has. It
 * can't be told whether it is older or newer. Legs that it does not have, it may not know.
 */
export function contradictsNumbered(
  state: LateState,
  { operation, report }: ReportedAttempt,
): boolean {
  const { attempt, legs, returns = [] } = report;
  const counted = operation.accepted?.attempt === attempt ? operation.reportVersion : undefined;
  const version = state.versions[attempt] ?? counted;
  if (report.version !== undefined || version === undefined) return false;
  const listed = new Set(legs.map(({ leg_id: id }) => id));
  return differencesIn(state, { operation, report: { ...report, version } }).some(
    ({ of, provider_leg_id: id = '', of_leg_id: ofId = '' }) =>
      listed.has(of === 'transfer' ? id : ofId) || returns.some(({ leg_id: each }) => each === id),
  );
}

/** The attempt's legs with their original amounts, before any return. */
function originalLegs(
  { legs }: LateState,
  { operation, attempt }: { operation: Operation; attempt: number },
): Money[] {
  const counted =
    operation.accepted?.attempt === attempt
      ? operation.legs.filter(({ synthetic }) => !synthetic)
      : [];
  return [
    ...counted.map(({ leg_id: name, amount, completed_at: completedAt }) => {
      const back = operation.returns.filter(({ ofLegId }) => ofLegId === name);
      const gross = sum([amount, ...back.map((each) => each.counted)]);
      return { name, ids: [name] as const, amount: gross, completedAt };
    }),
    ...Object.entries(legs)
      .filter(([, each]) => each.attempt === attempt)
      .map(([name, each]) => ({ name, ...each })),
  ];
}

/** The attempt's returns: the part before the end, and the late part. */
function attemptReturns(
  { returns }: LateState,
  { operation, attempt }: { operation: Operation; attempt: number },
): Money[] {
  const counted = operation.accepted?.attempt === attempt ? operation.returns : [];
  const before = new Set(counted.map(({ legId }) => legId));
  const late = Object.entries(returns).filter(([, each]) => each.attempt === attempt);
  return [
    ...counted.map(({ legId, counted: part, ...each }) => {
      const rest = late
        .filter(([, { ids }]) => ids[0] === legId)
        .map(([, lateReturn]) => lateReturn);
      const amount = sum([part, ...rest.map((lateReturn) => lateReturn.amount)]);
      const numbered = rest.every((lateReturn) => lateReturn.numbered);
      return { name: legId, ids: [legId] as const, ...each, amount, numbered };
    }),
    ...late
      .filter(([, each]) => !before.has(each.ids[0]))
      .map(([name, each]) => ({ name, ...each, ofLegId: each.ofLegIds[0] })),
  ];
}

/**
 * Whether the money that a report means is known. An older version may have written money of either
 * of two ids: a late leg or return that shares an id with another is not corrected.
 */
const isClear =
  (reported: readonly { leg_id: string }[]) =>
  ({ name, ids }: Money, _: number, all: readonly Money[]): boolean =>
    (ids.length === 1 || reported.filter(({ leg_id: id }) => ids.includes(id)).length < 2) &&
    all.every(
      (each) =>
        each.name === name ||
        (each.ids.length === 1 && ids.length === 1) ||
        !each.ids.some((id) => ids.includes(id)),
    );

/** What a report has of one of the ids. */
function findReported(
  ids: readonly [string, ...string[]],
  reported: readonly { leg_id: string; amount: Amount }[],
) {
  const match = ids
    .map((id) => reported.find((each) => each.leg_id === id))
    .find((each) => each !== undefined);
  return { id: match?.leg_id ?? ids[0], amount: match?.amount ?? zero };
}

/** Approved money that no leg has confirmed, and that is not known to be missing. */
export function approvedDue(state: LateState, { accepted, legs }: Operation): Amount {
  const approved = legs.filter(({ synthetic }) => synthetic);
  const missing = approved.map(({ leg_id: name }) => {
    const key = moneyKey(state, { of: 'approval', attempt: accepted?.attempt ?? 0, name });
    return ownValue(state.posted, key) ?? zero;
  });
  const due = sum([...approved.map(({ amount }) => amount), ...missing]);
  return toAmount(fromAmount(due).minus(state.confirmed));
}

/** Approved money that was not received by the time the provider ends the attempt is missing. */
export function approvedMissing(
  state: LateState,
  { operation, report }: ReportedAttempt,
): LateDifference[] {
  const { attempt, status } = report;
  if (status === 'open' || operation.accepted?.attempt !== attempt) return [];
  const due = approvedDue(state, operation);
  const approved = operation.legs.find(({ synthetic }) => synthetic);
  if (!approved || isZero(due)) return [];
  const { leg_id: corrects, amount, completed_at } = approved;
  const amounts = {
    counted_amount: amount,
    reported_amount: toAmount(fromAmount(amount).minus(due)),
  };
  return [{ of: 'approval', corrects, completed_at, ...amounts }];
}
