import type { AttemptRecord } from './record.ts';

/**
 * Applies what is due at a time: a delayed decision, the end of the payable window, the autopilot,
 * a return.
 */
export const timerKinds = ['decide', 'expire', 'autopilot', 'return'] as const;
export type TimerKind = (typeof timerKinds)[number];

/** When each timer of an attempt is due; undefined if it has none. */
export function computeTimers(record: AttemptRecord): Partial<Record<TimerKind, number>> {
  if (record.status !== 'open')
    return record.returnAtMs === undefined ? {} : { return: record.returnAtMs };
  return {
    ...(record.decideAtMs !== undefined && { decide: record.decideAtMs }),
    ...(record.expiresAt !== undefined && { expire: Date.parse(record.expiresAt) }),
    ...(record.autopilotAtMs !== undefined && { autopilot: record.autopilotAtMs }),
  };
}
