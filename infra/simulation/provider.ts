import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptAnswer } from '#shared/domain/operation/create.ts';
import type { Leg } from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/settle.ts';
import {
  attemptKey,
  type AttemptKnown,
  type AttemptRef,
  type CallBounds,
  type ProviderConnector,
  type Submission,
} from '#shared/providers/connector.ts';
import type { Random } from '#infra/testing/random.ts';
import { before } from './before.ts';
import type { Instance, Network } from './network.ts';

/** An attempt as its provider has it. */
export type ProviderAttempt = {
  key: string;
  operationId: string;
  /** `void`: never taken, and its key is spent. */
  acceptance: 'undecided' | 'accepted' | 'refused' | 'void';
  answer: AttemptAnswer | undefined;
  report: ProviderReport;
  submissions: number;
};

export type SimulatedProvider = {
  attempts: ReadonlyMap<string, ProviderAttempt>;
  /** How an instance reaches it. */
  reach(network: Network, from: Instance): ProviderConnector;
  /** Whether everything that it meant to do is done and told. */
  atRest(): boolean;
};

export type ProviderOptions = {
  random: Random;
  /** Tells the gateway; false where it must be told again. */
  tell(operationId: string, known: AttemptKnown): Promise<boolean>;
};

const expiresInMs = 20_000;

/** What a provider may do with what it accepted. `silent`: it pays and tells nobody until it is asked. */
const payoutCourses = ['whole', 'whole', 'parts', 'part', 'declined', 'silent'] as const;
const paymentCourses = [...payoutCourses, 'nothing', 'late'] as const;

/**
 * A provider that takes an attempt once by its key and decides by chance what becomes of it: refuses, accepts late, pays
 * in parts, pays twice, pays after it was withdrawn. What it did is what the gateway's books must come to.
 */
export function createProvider({ random, tell }: ProviderOptions): SimulatedProvider {
  const attempts = new Map<string, ProviderAttempt>();
  let busy = 0;
  let legs = 0;

  /** Something that it does by itself, after a while. */
  const later = (leastMs: number, mostMs: number, act: () => void) => {
    busy += 1;
    setTimeout(
      () => {
        act();
        busy -= 1;
      },
      random.between(leastMs, mostMs),
    );
  };

  const known = ({ answer, report }: ProviderAttempt): AttemptKnown | undefined =>
    answer && { answer, report: { ...report, legs: [...report.legs] } };

  const callBack = (attempt: ProviderAttempt) => {
    const now = known(attempt);
    if (!now) return;
    busy += 1;
    void (async () => {
      for (let tries = 0; tries < 12; tries += 1) {
        await delay(random.between(1, 200 * 2 ** Math.min(tries, 5)));
        if (await tell(attempt.operationId, now)) break;
      }
      busy -= 1;
    })();
  };

  const pay = (attempt: ProviderAttempt, amount: number) => {
    legs += 1;
    const leg: Leg = {
      leg_id: `leg-${legs}`,
      amount: amount.toFixed(2),
      completed_at: new Date().toISOString(),
      file: false,
    };
    attempt.report = { ...attempt.report, legs: [...attempt.report.legs, leg] };
  };

  const settle = (attempt: ProviderAttempt, status: ProviderReport['status']) => {
    if (attempt.report.status === 'open') attempt.report = { ...attempt.report, status };
    callBack(attempt);
  };

  /** What becomes of an attempt that was accepted. */
  const carryOut = (attempt: ProviderAttempt, { type, request }: Submission) => {
    const wanted = Number(request.amount);
    const open = () => attempt.report.status === 'open';
    // Only payments have a window; what came in it is what there is.
    if (type === 'payment')
      later(expiresInMs, expiresInMs + 50, () => {
        if (open()) settle(attempt, attempt.report.legs.length > 0 ? 'partially_completed' : 'expired');
      });
    const course = random.pick(type === 'payment' ? paymentCourses : payoutCourses);
    later(10, 8_000, () => {
      if (!open()) {
        // Whoever was given the requisites pays all the same.
        if (course === 'late' && type === 'payment') {
          pay(attempt, wanted);
          callBack(attempt);
        }
        return;
      }
      if (course === 'declined') return settle(attempt, 'declined');
      if (course === 'nothing' || course === 'late') return;
      pay(attempt, course === 'whole' || course === 'silent' ? wanted : wanted / 2);
      if (course === 'silent') attempt.report = { ...attempt.report, status: 'completed' };
      else if (course === 'whole') settle(attempt, 'completed');
      else if (course === 'part') settle(attempt, 'partially_completed');
      else {
        callBack(attempt);
        later(5, 3_000, () => {
          if (!open()) return;
          pay(attempt, wanted / 2);
          settle(attempt, 'completed');
        });
      }
    });
    if (random.chance(0.1))
      later(12_000, 40_000, () => {
        if (attempt.acceptance !== 'accepted' || type === 'payout') return;
        pay(attempt, 1);
        callBack(attempt);
      });
  };

  const accept = (attempt: ProviderAttempt, submission: Submission) => {
    attempt.acceptance = 'accepted';
    attempt.answer = {
      outcome: 'accepted',
      providerReference: `ref ${attempt.key}`,
      ...(submission.type === 'payment' && {
        requisites: { number: '2200123456789012', name: 'Payee' },
        expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
      }),
      ...(submission.route.conversion && { fxRate: '0.012500' }),
    };
    carryOut(attempt, submission);
  };

  const refuse = (attempt: ProviderAttempt, acceptance: 'refused' | 'void', reason: string) => {
    attempt.acceptance = acceptance;
    attempt.answer = { outcome: 'refused', reason };
    attempt.report = { ...attempt.report, status: acceptance === 'void' ? 'withdrawn' : 'declined' };
  };

  const blank = ({ operationId, attempt }: AttemptRef): ProviderAttempt => ({
    key: attemptKey(operationId, attempt),
    operationId,
    acceptance: 'undecided',
    answer: undefined,
    report: { attempt, status: 'open', legs: [] },
    submissions: 0,
  });

  const take = (submission: Submission): ProviderAttempt => {
    const key = attemptKey(submission.operationId, submission.attempt);
    const taken = attempts.get(key);
    if (taken) {
      taken.submissions += 1;
      return taken;
    }
    const attempt = { ...blank(submission), submissions: 1 };
    attempts.set(key, attempt);
    const kind = random.pick(['accepts', 'accepts', 'accepts', 'refuses', 'hesitates']);
    if (kind === 'accepts') accept(attempt, submission);
    else if (kind === 'refuses') refuse(attempt, 'refused', 'declined');
    else
      later(100, 6_000, () => {
        if (attempt.acceptance !== 'undecided') return;
        if (random.chance(0.5)) accept(attempt, submission);
        else refuse(attempt, 'refused', 'declined after all');
        callBack(attempt);
      });
    return attempt;
  };

  const voided = (ref: AttemptRef): ProviderAttempt => {
    const key = attemptKey(ref.operationId, ref.attempt);
    const attempt = attempts.get(key) ?? blank(ref);
    attempts.set(key, attempt);
    if (attempt.submissions === 0 && attempt.acceptance === 'undecided') refuse(attempt, 'void', 'withdrawn');
    return attempt;
  };

  const withdraw = (ref: AttemptRef): ProviderAttempt => {
    const attempt = voided(ref);
    if (attempt.acceptance === 'undecided') refuse(attempt, 'void', 'withdrawn');
    if (attempt.report.status === 'open') attempt.report = { ...attempt.report, status: 'withdrawn' };
    return attempt;
  };

  return {
    attempts,
    atRest: () => busy === 0,
    reach: (network, from) => {
      const call = <T>(effect: () => T, bounds: CallBounds) =>
        within(bounds.timeoutMs, network.call(from, { name: 'the provider', hangs: true }, effect));
      const unknown = (cause: 'timeout' | 'error') => ({ outcome: 'unknown', cause }) as const;
      return {
        name: 'simulated',
        submit: async (submission, bounds) => {
          const taken = await call(() => take(submission).answer, bounds);
          return typeof taken === 'object' && 'failed' in taken
            ? unknown(taken.failed)
            : (taken ?? unknown('error'));
        },
        ask: async (ref, bounds) => {
          const found = await call(() => {
            const attempt = voided(ref);
            return { acceptance: attempt.acceptance, known: known(attempt) };
          }, bounds);
          if ('failed' in found) return unknown(found.failed);
          if (found.acceptance === 'void') return { outcome: 'never_submitted' };
          return found.known
            ? { outcome: 'known', ...found.known }
            : { outcome: 'unknown', cause: 'undecided' };
        },
        withdraw: async (ref, bounds) => {
          const found = await call(() => known(withdraw(ref)), bounds);
          if (!found) return { outcome: 'unknown', cause: 'undecided' };
          if ('failed' in found) return unknown(found.failed);
          const paid = found.report.status === 'completed' || found.report.status === 'partially_completed';
          return { outcome: paid ? 'refused' : 'withdrawn', ...found };
        },
        quote: async ({ route }, bounds) => {
          const quoted = await call(() => ({ rate: '0.012500' }), bounds);
          if ('failed' in quoted) return unknown(quoted.failed);
          return route.conversion
            ? { outcome: 'quoted', ...quoted }
            : { outcome: 'refused', reason: 'no conversion' };
        },
        submitReceipt: async () => ({ outcome: 'refused', reason: 'takes none' }),
        evidence: async (ref, bounds) => {
          const found = await call(() => {
            const attempt = attempts.get(attemptKey(ref.operationId, ref.attempt));
            return { legs: attempt?.report.legs ?? [] };
          }, bounds);
          if ('failed' in found) return { outcome: 'unavailable', cause: found.failed };
          const items = found.legs.map((leg) => ({ ...leg, synthetic: false }));
          return { outcome: 'known', status: 'complete', items };
        },
        fetchReceiptFile: async () => ({ outcome: 'none' }),
        readCallback: (_headers, body) => ({
          ok: true,
          ...(JSON.parse(new TextDecoder().decode(body)) as { operationId: string } & AttemptKnown),
        }),
      };
    },
  };
}

/** A connector never throws for what a network does. */
const within = <T>(timeoutMs: number, answer: Promise<T>): Promise<T | { failed: 'timeout' | 'error' }> =>
  before(
    timeoutMs,
    answer.catch(() => ({ failed: 'error' }) as const),
    () => ({ failed: 'timeout' }) as const,
  );
