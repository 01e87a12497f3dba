import type { OperationEvent } from '#shared/domain/operation/events.ts';

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

/** When an operation needs a look because of an event, in epoch milliseconds; `undefined`: as planned before. */
export function nextLookAt(
  event: OperationEvent,
  createdMs: number,
  { graceMs, silenceMs }: Timings,
): number | undefined {
  switch (event.type) {
    case 'OperationAdmitted':
      return Date.parse(event.data.accept_until) + graceMs;
    case 'AttemptAccepted': {
      const { attempt, expires_at: expiresAt } = event.data;
      // An attempt before it may be owed a withdrawal: that look may not be put off.
      if (attempt > 1) return createdMs;
      return Math.min(createdMs + silenceMs, expiresAt ? Date.parse(expiresAt) + graceMs : Infinity);
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
      return undefined;
  }
}

/** The silence that calls for the next question, after so many in a row. */
export function silenceAfter(asks: number, { silenceMs, longestSilenceMs }: Timings): number {
  return Math.min(silenceMs * 2 ** Math.min(asks, 20), longestSilenceMs);
}

/** The pause after so many failures in a row; `random` in [0, 1) spreads it by 20 % either way. */
export function retryAfter(tries: number, { retryMs, longestRetryMs }: Timings, random: number): number {
  return Math.min(retryMs * 2 ** Math.min(tries, 20), longestRetryMs) * (0.8 + 0.4 * random);
}
