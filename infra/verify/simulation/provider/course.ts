import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type { Submission } from '#shared/application/providers/connector.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import {
  correct,
  returnLegMoney,
  isOpenAttempt,
  paidMinor,
  pay,
  toMinorNumber,
  type ProviderAttempt,
} from './attempt.ts';

/**
 * What a provider may do with an accepted attempt. `silent`: it pays and reports only when polled.
 */
const payoutCourses = ['whole', 'whole', 'parts', 'part', 'declined', 'silent'] as const;
const paymentCourses = [...payoutCourses, 'more', 'nothing', 'nothing', 'late'] as const;

export const expiresInMs = 20_000;
/** How often at most a window is extended while a receipt is reviewed. */
const maxProlonged = 4;

export type Course = {
  random: Random;
  /** If it sends no callbacks, an end means that nothing more comes. */
  paysAfterEnd: boolean;
  /** An action that it takes by itself after a while. */
  later(leastMs: number, mostMs: number, act: () => void): void;
  /** Sends the gateway a callback. */
  callBack(attempt: ProviderAttempt): void;
};

/** Begins the course of an accepted attempt. */
export function carryOut(
  course: Course,
  attempt: ProviderAttempt,
  { type, request }: Submission,
): void {
  const { random, later, callBack, paysAfterEnd } = course;
  const wanted = toMinorNumber(request.amount);
  const payAnyway = (minor: number) => {
    if (!isOpenAttempt(attempt) && !paysAfterEnd) return;
    pay(attempt, minor);
    callBack(attempt);
  };
  // Only payments have a window; money that came within it is final.
  if (type === 'payment')
    later(expiresInMs, expiresInMs + random.pick([50, 6_000]), () =>
      closeWindow(course, attempt, 0),
    );
  const chosen = random.pick(type === 'payment' ? paymentCourses : payoutCourses);
  later(10, 8_000, () => {
    if (isOpenAttempt(attempt)) follow(chosen, course, { attempt, wanted });
    // The payer has the requisites and pays anyway.
    else if (chosen === 'late' && type === 'payment') payAnyway(wanted);
  });
  if (type === 'payment' && random.chance(0.2)) later(6_000, 32_000, () => payAnyway(100));
  if (random.chance(0.3)) later(20, 20_000, () => goBack(course, attempt));
  if (attempt.numbered && random.chance(0.3)) later(20, 20_000, () => mend(course, attempt));
}

function follow(
  chosen: (typeof paymentCourses)[number],
  course: Course,
  { attempt, wanted }: { attempt: ProviderAttempt; wanted: number },
): void {
  switch (chosen) {
    case 'declined':
      return settle(course, attempt, 'declined');
    case 'nothing':
    case 'late':
      return;
    case 'silent':
      pay(attempt, wanted);
      attempt.report = { ...attempt.report, status: 'completed' };
      return;
    case 'whole':
      pay(attempt, wanted);
      return settle(course, attempt, 'completed');
    case 'more':
      pay(attempt, wanted + 150);
      return settle(course, attempt, 'completed');
    case 'part':
      pay(attempt, Math.floor(wanted / 2));
      return settle(course, attempt, 'partially_completed');
    case 'parts': {
      const [first = wanted, ...more] = split(course.random, wanted);
      pay(attempt, first);
      payRest(course, attempt, more);
    }
  }
}

function settle(
  { callBack }: Course,
  attempt: ProviderAttempt,
  status: ProviderReport['status'],
): void {
  if (isOpenAttempt(attempt)) attempt.report = { ...attempt.report, status };
  callBack(attempt);
}

function payRest(course: Course, attempt: ProviderAttempt, parts: readonly number[]): void {
  const [next, ...more] = parts;
  if (next === undefined) return settle(course, attempt, 'completed');
  course.callBack(attempt);
  course.later(5, 3_000, () => {
    if (!isOpenAttempt(attempt)) return;
    pay(attempt, next);
    payRest(course, attempt, more);
  });
}

/** The end of a payment's window, later while a receipt is reviewed. */
function closeWindow(course: Course, attempt: ProviderAttempt, prolonged: number): void {
  if (!isOpenAttempt(attempt)) return;
  const { review, legs } = attempt.report;
  const looksAt = review && ['waiting', 'flagged'].includes(review.state);
  if (looksAt && prolonged < maxProlonged)
    return course.later(500, 4_000, () => closeWindow(course, attempt, prolonged + 1));
  settle(course, attempt, legs.length > 0 ? 'partially_completed' : 'expired');
}

/** Corrects a leg: more, less, or never received. */
function mend(course: Course, attempt: ProviderAttempt): void {
  const { random, later, callBack } = course;
  const { legs } = attempt.report;
  const leg = legs[random.below(Math.max(legs.length, 1))];
  if (!leg) return;
  const brought = toMinorNumber(leg.amount);
  correct(attempt, leg.leg_id, random.pick([0, Math.ceil(brought / 2), brought + 70]));
  callBack(attempt);
  // An older report may arrive after this one, so a report that takes money back is repeated
  // (R13.3).
  later(30_000, 40_000, () => callBack(attempt));
  if (random.chance(0.3)) later(5, 5_000, () => mend(course, attempt));
}

/** Returns a leg or a part of it, sometimes twice and more than it brought. */
function goBack(course: Course, attempt: ProviderAttempt): void {
  const { random, later, callBack, paysAfterEnd } = course;
  const { legs } = attempt.report;
  const leg = legs[random.below(Math.max(legs.length, 1))];
  if (!leg || (!isOpenAttempt(attempt) && !paysAfterEnd)) return;
  const { leg_id: legId, amount } = leg;
  const brought = toMinorNumber(amount);
  returnLegMoney(attempt, legId, random.pick([brought, Math.ceil(brought / 2), brought + 10]));
  callBack(attempt);
  if (random.chance(0.3)) later(5, 5_000, () => goBack(course, attempt));
}

/** Two to four parts that make up the whole. */
function split(random: Random, minor: number): number[] {
  const parts: number[] = [];
  let left = minor;
  for (let count = 1 + random.below(3); count > 0 && left > 1; count -= 1) {
    const part = 1 + random.below(left - 1);
    parts.push(part);
    left -= part;
  }
  return [...parts, left];
}

/** Decides on a receipt: approved, doubted, or called a forgery. */
export function lookAtReceipt(
  { random, later, callBack }: Course,
  attempt: ProviderAttempt,
  given: { receiptId: string; wantedMinor: number },
): void {
  const { receiptId, wantedMinor } = given;
  const isNewest = () => attempt.report.review?.receiptId === receiptId;
  const approve = () => {
    const missing = wantedMinor - paidMinor(attempt);
    if (missing > 0) pay(attempt, missing);
    attempt.report = {
      ...attempt.report,
      status: 'completed',
      review: { receiptId, state: 'approved' },
    };
  };
  const decline = () => {
    const status = attempt.report.legs.length > 0 ? 'partially_completed' : 'declined';
    attempt.report = { ...attempt.report, status, review: { receiptId, state: 'declined' } };
  };
  const flag = () => {
    const reason = random.pick(['not_terminal', 'potential_fake', undefined] as const);
    attempt.report = {
      ...attempt.report,
      review: { receiptId, state: 'flagged', ...(reason && { reason }) },
    };
  };
  attempt.report = { ...attempt.report, review: { receiptId, state: 'waiting' } };
  later(50, 6_000, () => {
    if (!isOpenAttempt(attempt) || !isNewest()) return;
    random.pick([approve, approve, flag, flag, decline])();
    callBack(attempt);
    if (attempt.report.review?.state !== 'flagged' || random.chance(0.5)) return;
    later(50, 8_000, () => {
      if (!isOpenAttempt(attempt) || !isNewest()) return;
      random.pick([approve, decline, flag])();
      callBack(attempt);
    });
  });
}
