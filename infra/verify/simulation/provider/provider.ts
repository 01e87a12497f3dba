import { setTimeout as delay } from 'node:timers/promises';
import {
  attemptKey,
  type AttemptKnown,
  type AttemptRef,
  type CallBounds,
  type ProviderConnector,
  type ReadCallback,
  type Submission,
} from '#shared/application/providers/connector.ts';
import { everyMethod } from '#shared/application/providers/facts.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import { before } from '../before.ts';
import {
  blank,
  isOpenAttempt,
  currentReport,
  refuseSimulatedAttempt,
  toMinorNumber,
  type ProviderAttempt,
} from './attempt.ts';
import { carryOut, expiresInMs, lookAtReceipt, type Course } from './course.ts';
import { arrivalMs, type SimulatedProvider } from './simulated-provider.ts';

type ProviderOptions = {
  name: string;
  /** It has no idempotency keys, and sends no callbacks. */
  polled: boolean;
  random: Random;
  /** Sends a callback; false if it must be repeated. */
  sendCallback(
    provider: string,
    callback: { operationId: string } & AttemptKnown,
  ): Promise<boolean>;
};

/** Long after everything works again: one of two instances may be gone for good. */
const maxSends = 40;

/**
 * A provider that accepts an attempt once by its key and behaves at random: refuses, accepts late,
 * pays in parts, twice, or after a withdrawal. The gateway's ledger must match what it did.
 */
export function createSimulatedProvider(options: ProviderOptions): SimulatedProvider {
  const { name, polled } = options;
  const { course, atRest } = createCourse(options);
  const attempts = createAttempts(name, course);
  return {
    name,
    attempts: () => [...attempts.attempts.values()],
    atRest,
    reach: (network, from) => {
      const call: Reach = (effect, bounds) =>
        within(bounds.timeoutMs, network.call(from, { name, hangs: true }, effect));
      return (polled ? polledConnector : calledConnector)(name, { call, ...attempts });
    },
  };
}

/** Its own actions, and its callbacks. */
function createCourse({ name, polled, random, sendCallback }: ProviderOptions) {
  let busy = 0;

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

  /**
   * Each callback has the state of its creation: callbacks overtake each other, and old ones are
   * repeated.
   */
  const callBack = (attempt: ProviderAttempt) => {
    const known = currentReport(attempt);
    if (!known || polled) return;
    const callback = { operationId: attempt.operationId, ...known };
    busy += 1;
    void (async () => {
      for (let tries = 0; tries < maxSends; tries += 1) {
        await delay(random.between(1, 200 * 2 ** Math.min(tries, 5)));
        if (await sendCallback(name, callback)) break;
      }
      busy -= 1;
    })();
    if (random.chance(0.1)) later(100, 15_000, () => void sendCallback(name, callback));
  };
  const course: Course = { random, later, callBack, paysAfterEnd: !polled };

  return { course, atRest: () => busy === 0 };
}

function acceptance(
  random: Random,
  { key }: ProviderAttempt,
  { type, route }: Submission,
): NonNullable<ProviderAttempt['answer']> {
  return {
    outcome: 'accepted',
    providerReference: `ref ${key}`,
    ...(type === 'payment' && {
      requisites: { number: '2200123456789012', name: 'Payee' },
      expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
    }),
    ...(route.conversion && { fxRate: random.pick(['0.012500', '0.012345']) }),
  };
}

type Attempts = ReturnType<typeof createAttempts>;

/** What it was requested to do, by its keys. */
function createAttempts(name: string, course: Course) {
  const { random, later, callBack } = course;
  const attempts = new Map<string, ProviderAttempt>();
  const wanted = new Map<string, number>();

  const accept = (attempt: ProviderAttempt, submission: Submission) => {
    attempt.acceptance = 'accepted';
    wanted.set(attempt.key, toMinorNumber(submission.request.amount));
    attempt.answer = acceptance(random, attempt, submission);
    carryOut(course, attempt, submission);
  };

  /** `order`: one order that is delivered twice is one, two orders are two. */
  const take = (submission: Submission, order: object): ProviderAttempt => {
    const key = attemptKey(submission.operationId, submission.attempt);
    const taken = attempts.get(key);
    if (taken) {
      taken.submissions += 1;
      taken.orders.add(order);
      return taken;
    }
    const attempt: ProviderAttempt = {
      ...blank(name, submission),
      submissions: 1,
      orders: new Set([order]),
    };
    if (name === 'simulated') attempt.numbered = { version: 1, report: attempt.report };
    attempts.set(key, attempt);
    const kind = random.pick(['accepts', 'accepts', 'accepts', 'refuses', 'hesitates']);
    if (kind === 'accepts') accept(attempt, submission);
    else if (kind === 'refuses') refuseSimulatedAttempt(attempt, 'refused', 'declined');
    else
      later(100, 6_000, () => {
        if (attempt.acceptance !== 'undecided') return;
        if (random.chance(0.5)) accept(attempt, submission);
        else refuseSimulatedAttempt(attempt, 'refused', 'declined after all');
        callBack(attempt);
      });
    return attempt;
  };

  const voided = (ref: AttemptRef): ProviderAttempt => {
    const key = attemptKey(ref.operationId, ref.attempt);
    const attempt = attempts.get(key) ?? blank(name, ref);
    attempts.set(key, attempt);
    if (attempt.submissions === 0 && attempt.acceptance === 'undecided')
      refuseSimulatedAttempt(attempt, 'void', 'withdrawn');
    return attempt;
  };

  const withdraw = (ref: AttemptRef): ProviderAttempt => {
    const attempt = voided(ref);
    if (attempt.acceptance === 'undecided') refuseSimulatedAttempt(attempt, 'void', 'withdrawn');
    if (isOpenAttempt(attempt)) attempt.report = { ...attempt.report, status: 'withdrawn' };
    return attempt;
  };

  const takeReceipt = (ref: AttemptRef, receiptId: string): AttemptKnown | undefined => {
    const attempt = attempts.get(attemptKey(ref.operationId, ref.attempt));
    if (!attempt) return undefined;
    const times = attempt.receipts.get(receiptId) ?? 0;
    if (times === 0 && (!isOpenAttempt(attempt) || random.chance(0.15))) return undefined;
    attempt.receipts.set(receiptId, times + 1);
    if (times === 0)
      lookAtReceipt(course, attempt, { receiptId, wantedMinor: wanted.get(attempt.key) ?? 0 });
    return currentReport(attempt);
  };

  return { attempts, take, voided, withdraw, takeReceipt };
}

type Reach = <T>(
  effect: () => T,
  bounds: CallBounds,
) => Promise<T | { failed: 'timeout' | 'error' }>;
type ReachableAttempts = Attempts & { call: Reach };

const unknown = (cause: 'timeout' | 'error') => ({ outcome: 'unknown', cause }) as const;

const submitBy =
  ({ call, take }: ReachableAttempts): ProviderConnector['submit'] =>
  async (submission, bounds) => {
    const order = {};
    const taken = await call(() => take(submission, order).answer, bounds);
    return typeof taken === 'object' && 'failed' in taken
      ? unknown(taken.failed)
      : (taken ?? unknown('error'));
  };

/** It has no idempotency keys, no withdrawals and no callbacks: it is polled. */
function polledConnector(name: string, provider: ReachableAttempts): ProviderConnector {
  const { call, attempts } = provider;
  return {
    name,
    carries: everyMethod,
    submissions: { repeatable: false, mayArriveForMs: arrivalMs, clockSkewMs: 0 },
    reports: { by: 'polling', rhythm: { firstAfterMs: 500, everyMs: 700, longestMs: 3_000 } },
    submit: submitBy(provider),
    ask: async (ref, bounds) => {
      const found = await call(() => {
        const attempt = attempts.get(attemptKey(ref.operationId, ref.attempt));
        return { there: attempt !== undefined, known: attempt && currentReport(attempt) };
      }, bounds);
      if ('failed' in found) return unknown(found.failed);
      if (!found.there) return { outcome: 'not_found' };
      return found.known
        ? { outcome: 'known', ...found.known }
        : { outcome: 'unknown', cause: 'undecided' };
    },
  };
}

function calledConnector(name: string, provider: ReachableAttempts): ProviderConnector {
  const { call, attempts, voided, withdraw, takeReceipt } = provider;
  return {
    name,
    carries: everyMethod,
    submissions: { repeatable: true },
    reports: { by: 'callbacks', readCallback },
    submit: submitBy(provider),
    ask: async (ref, bounds) => {
      const found = await call(() => {
        const attempt = voided(ref);
        return { acceptance: attempt.acceptance, known: currentReport(attempt) };
      }, bounds);
      if ('failed' in found) return unknown(found.failed);
      if (found.acceptance === 'void') return { outcome: 'never_submitted' };
      return found.known
        ? { outcome: 'known', ...found.known }
        : { outcome: 'unknown', cause: 'undecided' };
    },
    withdraw: async (ref, bounds) => {
      const found = await call(() => currentReport(withdraw(ref)), bounds);
      if (!found) return { outcome: 'unknown', cause: 'undecided' };
      if ('failed' in found) return unknown(found.failed);
      const paid =
        found.report.status === 'completed' || found.report.status === 'partially_completed';
      return { outcome: paid ? 'refused' : 'withdrawn', ...found };
    },
    quote: async ({ route }, bounds) => {
      const quoted = await call(() => ({ rate: '0.012500' }), bounds);
      if ('failed' in quoted) return unknown(quoted.failed);
      return route.conversion
        ? { outcome: 'quoted', ...quoted }
        : { outcome: 'refused', reason: 'no conversion' };
    },
    submitReceipt: async (ref, { receiptId }, bounds) => {
      const taken = await call(() => takeReceipt(ref, receiptId), bounds);
      if (!taken) return { outcome: 'refused', reason: 'takes none now' };
      return 'failed' in taken ? unknown(taken.failed) : { outcome: 'taken', ...taken };
    },
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
  };
}

/** The simulated provider signs a callback when it arrives. */
const readCallback: ReadCallback = (_headers, body, nowMs) => ({
  ok: true,
  signed: {
    id: 'message',
    timestamp: String(Math.floor(nowMs / 1_000)),
    signature: 'good',
    secretHint: 'simulated',
    body,
  },
  ...(JSON.parse(new TextDecoder().decode(body)) as { operationId: string } & AttemptKnown),
});

/** A connector never throws for network faults. */
const within = <T>(
  timeoutMs: number,
  answer: Promise<T>,
): Promise<T | { failed: 'timeout' | 'error' }> =>
  before(
    timeoutMs,
    answer.catch(() => ({ failed: 'error' }) as const),
    () => ({ failed: 'timeout' }) as const,
  );
