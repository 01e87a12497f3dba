/**
 * What is tuned beside the design: each works on something that belongs to Node, V8, PostgreSQL or
 * Linux. What each brings, and when it can go: docs/decisions/tuning.md. Nothing depends on them
 * but speed and memory.
 */
export const tunings = [
  'buffer-pool',
  'collections',
  'flush-growth',
  'give-back',
  'queue-plans',
] as const;
type Tuning = (typeof tunings)[number];

/** Read where this process starts, and handed on to those that it starts. */
export const tuningVariable = 'TUNING_OFF';

/** Whether it is in use: all are but those that `TUNING_OFF` names, with commas between them. */
export function isTuned(tuning: Tuning, off = process.env[tuningVariable] ?? ''): boolean {
  return !off.split(',').some((name) => name.trim() === tuning);
}
