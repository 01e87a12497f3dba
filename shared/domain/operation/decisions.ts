/**
 * The life of an operation: whatever changes one is decided here. A decision takes the folded state
 * (`state.ts`) and a command, and returns the events to append, or why it refuses. It is pure, and
 * is made again after a version conflict. `transitions.ts` lists the changes of status that these
 * make, and why; `due-steps/steps.ts` what is due without a command.
 */

/** A create is admitted with its first attempt, or declined because there is no route. */
export { admit } from './admission/admit.ts';
/** Of a payout: its provider's quote, and whether the ledger reserved its funds. */
export { recordQuote, recordReservation } from './payout-funds/record.ts';
/** The provider accepts, refuses or does not answer: then the next route, or the end. */
export { recordAnswer } from './attempts/provider-answer.ts';
/** The process of a create died: it is rejected after the acceptance wait. */
export { rejectAbandoned } from './attempts/acceptance-wait.ts';
/** A provider does not know an attempt: it may still arrive, or never will. */
export { recordNeverReceived, recordNotFound } from './attempts/never-submitted.ts';

/** The merchant cancels, or claims the key of a create that has not come. */
export { cancel, claimKey } from './ends/cancel.ts';
/** The payer uploads a receipt, and the provider gets it. */
export { noteSubmitted, uploadReceipt } from './receipt/upload.ts';
/** An operator decides on a receipt. */
export { decideReview } from './receipt/operator-review.ts';

/** A provider reports money, an end, a review or a return; after the end it is a late fact. */
export { decideReport } from './reports/decide-report.ts';
/** The time to pay runs out. */
export { expireOperation } from './ends/expiry.ts';
/** An admin ends what would stay open forever. */
export { closeOperationByHand } from './ends/close-by-hand.ts';
/** The provider has withdrawn an attempt, or never received it. */
export { noteWithdrawal } from './due-steps/withdrawals.ts';
