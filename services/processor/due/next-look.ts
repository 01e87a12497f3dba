import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { Providers, Rhythm } from '#shared/application/providers/connector.ts';

/** How long the processor waits before it looks, in milliseconds. */
export type Timings = {
  /** After a deadline: whoever serves the request, or the provider itself, acts first. */
  graceMs: number;
  /** Silence of a provider after which it is asked; doubled with every question, up to the longest. */
  silenceMs: number;
  longestSilenceMs: number;
  /** Before a step that failed is tried again; doubled with every failure, up to the longest. */
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

/** When providers are asked that did not report: by their own rhythm, or only after a long silence. */
export type Rhythms = {
  /** That of a provider; where it is not known which one it is, the quickest that there is. */
  of(provider: string | undefined): Rhythm;
};

export function createRhythms(providers: Providers, { silenceMs, longestSilenceMs }: Timings): Rhythms {
  const silence = { firstAfterMs: silenceMs, everyMs: silenceMs * 2, longestMs: longestSilenceMs };
  const polled = new Map<string, Rhythm>();
  for (const [name, { reports }] of providers) if (reports.by === 'polling') polled.set(name, reports.rhythm);
  const unknown = quickest([silence, ...polled.values()]);
  return { of: (provider) => (provider === undefined ? unknown : (polled.get(provider) ?? silence)) };
}

/** One rhythm for all of them: nobody is asked later than by their own. */
export function quickest(rhythms: readonly Rhythm[]): Rhythm {
  return {
    firstAfterMs: Math.min(...rhythms.map(({ firstAfterMs }) => firstAfterMs)),
    everyMs: Math.min(...rhythms.map(({ everyMs }) => everyMs)),
    longestMs: Math.min(...rhythms.map(({ longestMs }) => longestMs)),
  };
}

/**
 * When an operation needs a look because of an event, in epoch milliseconds; `undefined`: as planned before.
 * `rhythm`: of the provider of the newest attempt.
 */
export function nextLookAt(
  event: OperationEvent,
  createdMs: number,
  { graceMs, rhythm }: Pick<Timings, 'graceMs'> & { rhythm: Rhythm },
): number | undefined {
  switch (event.type) {
    case 'OperationAdmitted':
      return Date.parse(event.data.accept_until) + graceMs;
    case 'AttemptAccepted': {
      const { attempt, expires_at: expiresAt } = event.data;
      // An attempt before it may be owed a withdrawal: that look may not be put off.
      if (attempt > 1) return createdMs;
      return Math.min(
        createdMs + rhythm.firstAfterMs,
        expiresAt ? Date.parse(expiresAt) + graceMs : Infinity,
      );
    }
    case 'ReceiptUploaded':
      // The request that took it gives it to the provider.
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

/** The silence that calls for the next question, after so many in a row. */
export function silenceAfter(asks: number, { firstAfterMs, everyMs, longestMs }: Rhythm): number {
  if (asks === 0) return Math.min(firstAfterMs, longestMs);
  return Math.min(everyMs * 2 ** Math.min(asks - 1, 20), longestMs);
}

/** The pause after so many failures in a row; `random` in [0, 1) spreads it by 20 % either way. */
export function retryAfter(tries: number, { retryMs, longestRetryMs }: Timings, random: number): number {
  return Math.min(retryMs * 2 ** Math.min(tries, 20), longestRetryMs) * (0.8 + 0.4 * random);
}
