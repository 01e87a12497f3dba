import { backoffMs, jittered } from '#shared/platform/backoff.ts';
import { attemptsAwaited } from '#shared/domain/operation/due-steps/steps.ts';
import type { PollToEnd } from '#shared/domain/operation/due-steps/poll-to-end.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import type { Providers, Rhythm } from '#shared/application/providers/connector.ts';

/**
 * How long the processor waits before it acts, in milliseconds: `silenceBeforePoll` before it polls
 * for an accepted attempt, `retryAfter` before it repeats a withdrawal or a poll for an attempt
 * with an unknown outcome.
 */
export type Timings = {
  /** The delay after a deadline, so that a request in progress or the provider acts first. */
  graceMs: number;
  /** The silence after which a provider is polled; doubled with every poll, up to the longest. */
  silenceMs: number;
  longestSilenceMs: number;
  /** The pause before a failed step is retried; doubled with every failure, up to the longest. */
  retryMs: number;
  longestRetryMs: number;
};

export const defaultTimings: Timings = {
  graceMs: 1_500,
  silenceMs: 300_000,
  longestSilenceMs: 3_600_000,
  retryMs: 1_000,
  longestRetryMs: 60_000,
};

/**
 * When providers are polled: by their own rhythm, or, if they send callbacks, only after a long
 * silence.
 */
export type Rhythms = {
  /** The rhythm of a provider; the shortest of all if the provider is not known. */
  of(provider: string | undefined): Rhythm;
};

export function createRhythms(
  providers: Providers,
  { silenceMs, longestSilenceMs }: Timings,
): Rhythms {
  const silence = { firstAfterMs: silenceMs, everyMs: silenceMs * 2, longestMs: longestSilenceMs };
  const polled = new Map<string, Rhythm>();
  for (const [name, { reports }] of providers)
    if (reports.by === 'polling') polled.set(name, reports.rhythm);
  const unknown = shortestRhythm([silence, ...polled.values()]);
  return {
    of: (provider) => (provider === undefined ? unknown : (polled.get(provider) ?? silence)),
  };
}

/** One rhythm for several providers, by which none is polled later than by its own. */
export function shortestRhythm(rhythms: readonly Rhythm[]): Rhythm {
  return {
    firstAfterMs: Math.min(...rhythms.map(({ firstAfterMs }) => firstAfterMs)),
    everyMs: Math.min(...rhythms.map(({ everyMs }) => everyMs)),
    longestMs: Math.min(...rhythms.map(({ longestMs }) => longestMs)),
  };
}

/**
 * When an operation is due because of an event, in epoch milliseconds; `undefined`: as planned
 * before. `rhythm`: of the provider of the newest attempt.
 */
export function nextDueAt(
  event: OperationEvent,
  createdMs: number,
  { graceMs, rhythm }: Pick<Timings, 'graceMs'> & { rhythm: Rhythm },
): number | undefined {
  switch (event.type) {
    case 'OperationAdmitted':
      return Date.parse(event.data.accept_until) + graceMs;
    case 'AttemptAccepted': {
      const { attempt, expires_at: expiresAt } = event.data;
      // An earlier attempt may have to be withdrawn, which must not be delayed.
      if (attempt > 1) return createdMs;
      return Math.min(
        createdMs + rhythm.firstAfterMs,
        expiresAt ? Date.parse(expiresAt) + graceMs : Infinity,
      );
    }
    case 'ReceiptUploaded':
      // The upload request submits it to the provider first.
      return createdMs + graceMs;
    case 'AttemptUnresolved':
    case 'OperationCompleted':
    case 'OperationPartiallyCompleted':
    case 'OperationDeclined':
    case 'OperationExpired':
    case 'OperationCancelled':
      return createdMs;
    case 'OperationCancelledBeforeCreate':
    case 'AttemptStarted':
    case 'RoutesSkipped':
    case 'ReservationRequested':
    case 'FundsReserved':
    case 'ReceiptSubmitted':
    case 'ManualCheckStarted':
    case 'ReviewDecided':
    case 'CloseDecided':
    case 'AttemptRefused':
    case 'AttemptWithdrawn':
    case 'LegReceived':
    case 'LegCorrected':
    case 'LegReturned':
      return undefined;
  }
}

/** How long the providers of an operation may be silent before they are polled. */
export function silenceBeforePoll(
  operation: Operation,
  {
    providers,
    timings,
    polling,
    pollsWithoutChange,
  }: { providers: Providers; timings: Timings; polling: PollToEnd; pollsWithoutChange: number },
): number {
  const rhythms = createRhythms(providers, timings);
  const rhythm = shortestRhythm(
    attemptsAwaited(operation, polling).map(({ route }) => rhythms.of(route.provider)),
  );
  // After the end no caller waits for the answer, so the pauses between polls grow longer.
  const longestMs = isTerminal(operation.status) ? timings.longestSilenceMs : rhythm.longestMs;
  return silenceAfter(pollsWithoutChange, { ...rhythm, longestMs });
}

/** The silence before the next poll, after N polls in a row without change. */
export function silenceAfter(
  pollsWithoutChange: number,
  { firstAfterMs, everyMs, longestMs }: Rhythm,
): number {
  if (pollsWithoutChange === 0) return Math.min(firstAfterMs, longestMs);
  return backoffMs(pollsWithoutChange - 1, { firstMs: everyMs, longestMs });
}

/**
 * The pause after N tries in a row that failed, or to which a provider did not decide about an
 * attempt with an unknown outcome; `random` in [0, 1) varies it by ±20 %.
 */
export function retryAfter(
  tries: number,
  { retryMs, longestRetryMs }: Timings,
  random: number,
): number {
  return jittered(backoffMs(tries, { firstMs: retryMs, longestMs: longestRetryMs }), random);
}
