import type { WireSnapshot } from '#shared/application/providers/sandbox/wire.ts';
import { reviewAttempt, type AttemptReview } from './attempt/review.ts';
import {
  findControlledAttempt,
  toSnapshot,
  type SandboxContext,
  type SubmittedAttempt,
} from './attempt/record.ts';
import { sendMoneyBack, type GivenReturn } from './attempt/returns.ts';
import {
  addLateMoney,
  addLeg,
  correctLeg,
  expireAttempt,
  settle,
  type GivenLeg,
  type Settle,
} from './attempt/settlement.ts';
import type { SandboxDependencies } from './sandbox.ts';

/** The most legs, and the most returns, of one attempt: its snapshot is a single document. */
export const maxLegs = 200;

export type ControlResult =
  | { ok: true; snapshot: WireSnapshot }
  | {
      ok: false;
      reason: 'unknown_operation' | 'nothing_to_review' | 'unknown_leg' | 'too_many_legs';
    };

/** The commands that make the sandbox's payers, banks and reviewers act (R20.2). */
export function createControl({ memory, save, waiters, context }: SandboxDependencies) {
  const { attempts, callbacks, receipts, transaction } = memory;

  function command(
    operationId: string,
    how: (record: SubmittedAttempt, now: SandboxContext) => SubmittedAttempt | undefined,
    missing: 'nothing_to_review' | 'unknown_leg' = 'nothing_to_review',
  ): ControlResult {
    const now = context();
    const done = transaction((): { key: string; result: ControlResult } | ControlResult => {
      const before = findControlledAttempt(attempts.ofOperation(operationId));
      if (!before) return { ok: false, reason: 'unknown_operation' };
      const after = how(before, now);
      if (!after) return { ok: false, reason: missing };
      const { legs, returns = [] } = after;
      if (legs.length > maxLegs || returns.length > maxLegs)
        return { ok: false, reason: 'too_many_legs' };
      save({ before, after }, { nowMs: now.nowMs, report: true });
      return { key: after.key, result: { ok: true, snapshot: toSnapshot(after) } };
    });
    if (!('key' in done)) return done;
    waiters.wake(done.key);
    return done.result;
  }

  return {
    settle: (operationId: string, request: Settle) =>
      command(operationId, (record, now) => settle(record, request, now)),
    leg: (operationId: string, leg: GivenLeg) =>
      command(operationId, (record, now) => addLeg(record, leg, now)),
    lateMoney: (operationId: string, { amount }: { amount: string }) =>
      command(operationId, (record, now) => addLateMoney(record, amount, now)),
    correct: (operationId: string, leg: { leg_id: string; amount?: string | undefined }) =>
      command(operationId, (record) => correctLeg(record, leg), 'unknown_leg'),
    giveBack: (operationId: string, request: GivenReturn) =>
      command(operationId, (record, now) => sendMoneyBack(record, request, now), 'unknown_leg'),
    /** Ends the payable window now, as `expires_in_s` does later. */
    expire: (operationId: string) => command(operationId, (record) => expireAttempt(record)),
    review: (operationId: string, request: AttemptReview) =>
      command(operationId, (record, now) => reviewAttempt(record, request, now)),

    /** Everything that happened to an operation; undefined if the provider does not know it. */
    history(operationId: string) {
      const records = attempts.ofOperation(operationId);
      if (records.length === 0) return undefined;
      return {
        submissions: records.flatMap((record) =>
          record.submission
            ? [
                {
                  ...toSnapshot(record),
                  request: record.submission.body,
                  received_at: record.submission.receivedAt,
                  times: record.submission.times,
                },
              ]
            : [],
        ),
        cancels: records.flatMap(({ key, attempt, status, withdrawal }) =>
          withdrawal
            ? [{ key, attempt, status, received_at: withdrawal.at, times: withdrawal.times }]
            : [],
        ),
        receipts: receipts.ofOperation(operationId),
        callbacks: callbacks.ofOperation(operationId),
      };
    },
  };
}

export type Control = ReturnType<typeof createControl>;
