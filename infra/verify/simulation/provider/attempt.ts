import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { Leg, ReturnedMoney } from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import {
  attemptKey,
  type AttemptKnown,
  type AttemptRef,
} from '#shared/application/providers/connector.ts';

/** An attempt as its provider has it. */
export type ProviderAttempt = {
  key: string;
  operationId: string;
  provider: string;
  /** `void`: never taken, and its key is spent. */
  acceptance: 'undecided' | 'accepted' | 'refused' | 'void';
  answer: ProviderAnswer | undefined;
  report: ProviderReport;
  submissions: number;
  /** The submission, however often it was delivered. */
  orders: Set<object>;
  /** How often it was given each receipt. */
  receipts: Map<string, number>;
  /** The number of its legs, including those that it took back. */
  paid: number;
  /** The number of its newest report, and the report with that number. */
  numbered?: { version: number; report: ProviderReport };
  /** It was mistaken about a leg. */
  corrected?: true;
};

export const blank = (provider: string, { operationId, attempt }: AttemptRef): ProviderAttempt => ({
  key: attemptKey(operationId, attempt),
  operationId,
  provider,
  acceptance: 'undecided',
  answer: undefined,
  // Some report their legs as the whole evidence, others must be polled.
  report: {
    attempt,
    status: 'open',
    legs: [],
    ...(/[02468ace]$/.test(operationId) && { evidence: 'legs' }),
  },
  submissions: 0,
  orders: new Set(),
  receipts: new Map(),
  paid: 0,
});

export const isOpenAttempt = ({ report }: ProviderAttempt): boolean => report.status === 'open';

/** The current report; undefined while it is undecided. */
export function currentReport(attempt: ProviderAttempt): AttemptKnown | undefined {
  const { answer, report, numbered } = attempt;
  if (!answer) return undefined;
  if (numbered && numbered.report !== report)
    attempt.numbered = { version: numbered.version + 1, report };
  const version = attempt.numbered && { version: attempt.numbered.version };
  return {
    answer,
    report: { ...report, ...version, legs: [...report.legs], returns: [...(report.returns ?? [])] },
  };
}

export function refuseSimulatedAttempt(
  attempt: ProviderAttempt,
  acceptance: 'refused' | 'void',
  reason: string,
): void {
  attempt.acceptance = acceptance;
  attempt.answer = { outcome: 'refused', reason };
  attempt.report = { ...attempt.report, status: acceptance === 'void' ? 'withdrawn' : 'declined' };
}

/** Money moves. @param minor in hundredths */
export function pay(attempt: ProviderAttempt, minor: number): void {
  const { legs } = attempt.report;
  attempt.paid += 1;
  const leg: Leg = {
    leg_id: `${attempt.key}/${attempt.paid}`,
    amount: (minor / 100).toFixed(2),
    completed_at: new Date().toISOString(),
    file: false,
  };
  attempt.report = { ...attempt.report, legs: [...legs, leg] };
}

/** Returns money of a leg. @param minor in hundredths, may exceed the leg */
export function returnLegMoney(attempt: ProviderAttempt, legId: string, minor: number): void {
  const { returns = [] } = attempt.report;
  const back: ReturnedMoney = {
    leg_id: `${attempt.key}/back/${returns.length + 1}`,
    of_leg_id: legId,
    amount: (minor / 100).toFixed(2),
    completed_at: new Date().toISOString(),
  };
  attempt.report = { ...attempt.report, returns: [...returns, back] };
}

/** Corrects a leg to another amount, or removes it. @param minor in hundredths */
export function correct(attempt: ProviderAttempt, legId: string, minor: number): void {
  const legs = attempt.report.legs.flatMap((leg) => {
    if (leg.leg_id !== legId) return [leg];
    return minor === 0 ? [] : [{ ...leg, amount: (minor / 100).toFixed(2) }];
  });
  attempt.report = { ...attempt.report, legs };
  attempt.corrected = true;
}

export const toMinorNumber = (amount: string): number => Math.round(Number(amount) * 100);
export const paidMinor = ({ report }: ProviderAttempt): number =>
  report.legs.reduce((sum, { amount }) => sum + toMinorNumber(amount), 0);
