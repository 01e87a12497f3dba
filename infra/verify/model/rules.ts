import { recordLate } from '#shared/domain/late/record.ts';
import { admit } from '#shared/domain/operation/admission/admit.ts';
import { rejectAbandoned } from '#shared/domain/operation/attempts/acceptance-wait.ts';
import { recordNotFound } from '#shared/domain/operation/attempts/never-submitted.ts';
import { recordAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import { noteWithdrawal } from '#shared/domain/operation/due-steps/withdrawals.ts';
import { cancel } from '#shared/domain/operation/ends/cancel.ts';
import { closeOperationByHand } from '#shared/domain/operation/ends/close-by-hand.ts';
import { expireOperation } from '#shared/domain/operation/ends/expiry.ts';
import { recordReservation } from '#shared/domain/operation/payout-funds/record.ts';
import { decideReview } from '#shared/domain/operation/receipt/operator-review.ts';
import { uploadReceipt } from '#shared/domain/operation/receipt/upload.ts';
import { decideReport } from '#shared/domain/operation/reports/decide-report.ts';

/** The decisions that the model searches; a plant replaces one of them. */
export const modelRules = {
  admit,
  cancel,
  close: closeOperationByHand,
  decideReport,
  expire: expireOperation,
  noteWithdrawal,
  recordAnswer,
  recordLate,
  recordNotFound,
  recordReservation,
  rejectAbandoned,
  review: decideReview,
  uploadReceipt,
};
export type Rules = typeof modelRules;
