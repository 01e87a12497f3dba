import type { WireSnapshot, WireSubmission } from '#shared/application/providers/sandbox/wire.ts';
import { hashBody } from '#shared/platform/ids.ts';
import { closeAttempt, receive, withdrawAttempt } from './attempt/acceptance.ts';
import { toSnapshot, type AttemptRecord, type SandboxContext } from './attempt/record.ts';
import type { SaveChange } from './changes.ts';
import type { SandboxMemory } from './store/memory.ts';
import type { Waiters } from './waiters.ts';

export type SandboxAttemptRef = {
  key: string;
  operationId: string;
  attempt: number;
  /** Who asks; absent: the first account. */
  account?: string | undefined;
};

type SubmitResult =
  | { outcome: 'answer'; snapshot: WireSnapshot }
  /** The failure that its options ask for. */
  | { outcome: 'failure' }
  /** The caller is gone. */
  | { outcome: 'gone' }
  | { outcome: 'other_body' };

export type SandboxDependencies = {
  memory: SandboxMemory;
  save: SaveChange;
  waiters: Waiters;
  context: () => SandboxContext;
  /** Whether an amount chooses what happens where the route's options are empty. */
  byAmount: boolean;
};

/** The provider's API for the gateway (docs/merchants/sandbox-provider.md, "Wire API"). */
export function createSandbox({ memory, save, waiters, context, byAmount }: SandboxDependencies) {
  const { attempts, transaction } = memory;

  function take(ref: SandboxAttemptRef, body: WireSubmission): AttemptRecord | 'other_body' {
    const hash = hashBody(body);
    const now = context();
    return transaction(() => {
      const before = attempts.get(ref.key);
      // A key that was closed stays closed.
      if (before && !before.submission) return before;
      if (before?.submission && before.submission.hash !== hash) return 'other_body';
      const after = before?.submission
        ? { ...before, submission: { ...before.submission, times: before.submission.times + 1 } }
        : receive(ref, { body, hash, byAmount }, now);
      save({ before, after }, { nowMs: now.nowMs, report: false });
      return after;
    });
  }

  /** Changes the record of a key, or closes the key. */
  function change(
    ref: SandboxAttemptRef,
    how: (record: AttemptRecord) => AttemptRecord,
  ): WireSnapshot {
    const { nowMs } = context();
    const after = transaction(() => {
      const before = attempts.get(ref.key);
      const next = how(before ?? closeAttempt(ref));
      save({ before, after: next }, { nowMs, report: false });
      return next;
    });
    waiters.wake(ref.key);
    return toSnapshot(after);
  }

  return {
    /** Submits by key: repeated and concurrent submissions get the same answer. */
    async submit(
      ref: SandboxAttemptRef,
      body: WireSubmission,
      caller: AbortSignal,
    ): Promise<SubmitResult> {
      const result = take(ref, body);
      if (result === 'other_body') return { outcome: 'other_body' };
      let record = result;
      if (record.acceptance === 'received' && record.decideAtMs !== undefined) {
        if ((await waiters.wait(ref.key, caller)) === 'gone') return { outcome: 'gone' };
        record = attempts.get(ref.key) ?? record;
      }
      if (record.acceptance !== 'received')
        return { outcome: 'answer', snapshot: toSnapshot(record) };
      if (record.submission?.options.accept === 'error') return { outcome: 'failure' };
      await waiters.wait(`hang ${ref.key}`, caller);
      return { outcome: 'gone' };
    },

    /** The record of a key; undefined if unknown. Has no effect. */
    read(ref: SandboxAttemptRef): WireSnapshot | undefined {
      const record = attempts.get(ref.key);
      return record && toSnapshot(record);
    },

    /** The record of a key; an unknown key is closed, so that "never submitted" stays true. */
    resolve: (ref: SandboxAttemptRef): WireSnapshot => change(ref, (record) => record),

    /** Withdraws an attempt; an unknown key is closed. The answer shows whether it was too late. */
    withdraw: (ref: SandboxAttemptRef): WireSnapshot =>
      change(ref, (record) => withdrawAttempt(record, context())),
  };
}

export type Sandbox = ReturnType<typeof createSandbox>;
