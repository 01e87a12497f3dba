import type { Operation } from '#shared/domain/operation/state.ts';

/** One of the chosen operations: the request to the API, and its effect. */
export type Proposed = {
  operation: Operation;
  body: { decision: string; note: string; actual_amount?: string; receipt_id?: string };
  /** Why the API would refuse it now. */
  refused?: string;
  /** What the shop would be credited. */
  credit?: { amount: string; currency: string; status: Operation['status'] };
};
