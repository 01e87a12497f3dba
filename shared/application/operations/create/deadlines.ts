/**
 * How long the log may take for one step of a create: an append with its outcome, or a reservation.
 * It is longer than a store's usual stalls of up to 2 s; after it the merchant has to repeat the
 * request.
 */
export const stepMs = 5_000;

/**
 * What a create may take beyond the acceptance wait: the append that follows a provider's last
 * answer.
 */
export const answerGraceMs = 5_000;

/**
 * Milliseconds of a step that begins now, in a create whose answer is due `answerGraceMs` after its
 * acceptance wait.
 */
export function leftForStep(acceptanceDeadlineMs: number): number {
  return Math.max(1, Math.min(stepMs, acceptanceDeadlineMs + answerGraceMs - Date.now()));
}
