import type { WireReview } from '#shared/application/providers/sandbox/wire.ts';
import type { ReviewResult } from './options.ts';
import { changed, type SandboxContext, type SubmittedAttempt } from './record.ts';
import { legsUpTo, toLegs } from './settlement.ts';
import { reaches, total } from './money.ts';

export type AttemptReview = { result: ReviewResult; actual_amount?: string | undefined };

/**
 * Accepts a new receipt, which the route's option decides on; a file that is not a PDF can't be
 * read.
 */
export function takeReceipt(
  record: SubmittedAttempt,
  receipt: { id: string; isPdf: boolean },
  now: SandboxContext,
): SubmittedAttempt {
  const waiting = changed(record, { review: { receipt_id: receipt.id, state: 'waiting' } });
  if (!receipt.isPdf) return reviewAttempt(waiting, { result: 'not_terminal' }, now) ?? waiting;
  const { review: result } = record.submission.options;
  return result === 'manual' ? waiting : (reviewAttempt(waiting, { result }, now) ?? waiting);
}

/**
 * Decides on the newest receipt; undefined if there is none. An approval ends the attempt with its
 * money.
 */
export function reviewAttempt(
  record: SubmittedAttempt,
  { result, actual_amount }: AttemptReview,
  now: SandboxContext,
): SubmittedAttempt | undefined {
  if (!record.review) return undefined;
  const { receipt_id } = record.review;
  const decided = (outcome: Omit<WireReview, 'receipt_id'>) => ({
    review: { receipt_id, ...outcome },
  });
  switch (result) {
    case 'approve': {
      const expected = record.submission.body.amount;
      const legs = [...record.legs, ...toLegs(legsUpTo(record, actual_amount ?? expected), now)];
      const status = reaches(total(legs), expected) ? 'completed' : 'partially_completed';
      return changed(record, { ...decided({ state: 'approved' }), legs, status });
    }
    case 'decline':
      return changed(record, { ...decided({ state: 'declined' }), status: 'declined' });
    case 'flagged':
      return changed(record, decided({ state: 'flagged' }));
    case 'potential_fake':
    case 'not_terminal':
      return changed(record, decided({ state: 'flagged', reason: result }));
  }
}
