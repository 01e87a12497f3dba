import { z } from 'zod';
import { amountText } from '#shared/application/amount-text.ts';
import { decimalsIn } from '#shared/domain/currencies.ts';
import { amountPattern, isZero } from '#shared/domain/money.ts';
import {
  decideReview,
  type ReviewRefusal,
} from '#shared/domain/operation/receipt/operator-review.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import type { Operation, OperationState } from '#shared/domain/operation/state.ts';
import { foldStored, type StoredEvent } from '#shared/platform/event-store/index.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import {
  invalidRequest,
  validate,
  type ValidationOptions,
} from '#shared/platform/http/validate.ts';
import { newId } from '#shared/platform/ids.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import { admitted, handleOperation } from '#shared/application/operations/handle-operation.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { operatorOrigin, type OperatorIdentity, type AdminApp } from '../authentication.ts';
import { noteText } from '#shared/platform/http/texts.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { notDecided } from '#shared/application/directory/command-shop.ts';
import { readOperationEvents, readOpened, showOperation } from './read.ts';

export const reviewBody = z.strictObject({
  decision: z.enum(['approve', 'decline', 'ask_again']),
  /** The total received, as the reviewer saw it on the receipt (R9.10). */
  actual_amount: amountText
    .refine(
      (value) => !amountPattern.test(value) || !isZero(value),
      'must be more than zero: decline it',
    )
    .optional(),
  /** The receipt that the reviewer saw: the decision applies to no other. */
  receipt_id: z.string().max(100).optional(),
  note: noteText,
});

export const reviewRules: ValidationOptions = {
  codes: { actual_amount: 'amount_invalid' },
  across: ({ decision, actual_amount }) => {
    const pointer = '/actual_amount';
    if (decision === 'approve' && actual_amount === undefined)
      return [{ pointer, code: 'field_required', detail: 'an approval needs the received amount' }];
    return actual_amount !== undefined && (decision === 'decline' || decision === 'ask_again')
      ? [{ pointer, code: 'field_invalid', detail: 'only an approval has an amount' }]
      : [];
  },
};

type ReviewBody = z.infer<typeof reviewBody>;

/** The body as a decision takes it. */
function toDecision(
  { decision, actual_amount: actualAmount, receipt_id: receiptId, note }: ReviewBody,
  { role }: Pick<OperatorIdentity, 'role'>,
) {
  if (decision !== 'approve') return { decision, receiptId, note };
  if (actualAmount === undefined) throw new Error('an approval without an amount is no valid body');
  return { decision, receiptId, note, actualAmount, mayExceed: role === 'admin' };
}

/** POST /admin/v1/operations/{operation_id}/review: a person's decision on a receipt (R9.9). */
export function registerReview(
  app: AdminApp,
  dependencies: Pick<AdminDependencies, 'store' | 'ledgers' | 'personal' | 'accessLog' | 'logger'>,
): void {
  const { store } = dependencies;
  const entryPoster = createEntryPoster({ ...dependencies, actor: 'service:admin' });
  app.post('/admin/v1/operations/:operation_id/review', async (c) => {
    const body = validate(reviewBody, await readJson(c), reviewRules);
    const decision = toDecision(body, c.get('operator'));
    const operationId = c.req.param('operation_id').toLowerCase();
    const state = foldStored(operations, await readOperationEvents(store, operationId));
    const result = await handleOperation(
      { store, operationId, from: state, origin: operatorOrigin(c) },
      (current) =>
        decideReview(current, { ...decision, legId: newId(), nowIso: new Date().toISOString() }),
    );
    if (result.outcome === 'undecided') throw notDecided(result.cause);
    if (result.outcome === 'refused') throw refusal(result.state, result.refusal);
    const events = await readOpened(dependencies, operationId, { operator: c.get('operator') });
    const after = foldStored(operations, events);
    if (after.phase === 'admitted') await entryPoster.post(after, events);
    return c.json(showOperation(events));
  });
}

/**
 * The operation as it would be after a decision.
 * @throws Problem as the request would be answered
 */
export function simulateReview(
  events: readonly StoredEvent[],
  body: ReviewBody,
  operator: Pick<OperatorIdentity, 'role'>,
): Operation {
  const state = foldStored(operations, events);
  const generated = { legId: newId(), nowIso: new Date().toISOString() };
  const decided = decideReview(state, { ...toDecision(body, operator), ...generated });
  if ('refusal' in decided) throw refusal(state, decided.refusal);
  return admitted(fold(decided.events, state));
}

function refusal(state: OperationState, { code }: ReviewRefusal): Problem {
  if (state.phase !== 'admitted') return new Problem('operation_not_found');
  if (code === 'review_not_allowed') return new Problem(code);
  if (code === 'another_receipt')
    return new Problem('review_not_allowed', {
      detail: 'another receipt is now under review: open the review again',
    });
  if (code === 'amount_above_expected')
    return new Problem('forbidden', {
      detail: 'approving more than the expected amount requires the admin role',
    });
  const detail =
    code === 'amount_unfit'
      ? `${state.request.currency} has ${decimalsIn(state.request.currency)} decimals`
      : 'more than that has been received already';
  return invalidRequest([{ pointer: '/actual_amount', code: 'amount_invalid', detail }]);
}
