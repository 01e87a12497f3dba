import { z } from 'zod';
import { amountText } from '#shared/application/amount-text.ts';
import { createEntryPoster } from '#shared/application/operations/post-before-answer.ts';
import {
  reviewReceipt,
  type ReviewCommand,
} from '#shared/application/operations/review-receipt.ts';
import { amountPattern, isZero } from '#shared/domain/money.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate, type ValidationOptions } from '#shared/platform/http/validate.ts';
import { noteText } from '#shared/platform/http/texts.ts';
import { operatorOrigin, type OperatorIdentity, type AdminApp } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { openEvents, showOperation } from './read.ts';

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

/** The body as the command takes it. */
export function toReviewCommand(
  { decision, actual_amount: actualAmount, receipt_id: receiptId, note }: ReviewBody,
  { role }: Pick<OperatorIdentity, 'role'>,
): ReviewCommand {
  if (decision !== 'approve') return { decision, receiptId, note };
  if (actualAmount === undefined) throw new Error('an approval without an amount is no valid body');
  return { decision, receiptId, note, actualAmount, mayExceed: role === 'admin' };
}

/** POST /admin/v1/operations/{operation_id}/review (R9.9). */
export function registerReview(
  app: AdminApp,
  dependencies: Pick<AdminDependencies, 'store' | 'ledgers' | 'personal' | 'accessLog' | 'logger'>,
): void {
  const entryPoster = createEntryPoster({ ...dependencies, actor: 'service:admin' });
  const ports = { store: dependencies.store, entryPoster };
  app.post('/admin/v1/operations/:operation_id/review', async (c) => {
    const body = validate(reviewBody, await readJson(c), reviewRules);
    const operator = c.get('operator');
    const operationId = c.req.param('operation_id').toLowerCase();
    const command = { ...toReviewCommand(body, operator), origin: operatorOrigin(c) };
    const reviewed = await reviewReceipt(ports, operationId, command);
    return c.json(
      showOperation(await openEvents(dependencies, reviewed, { operationId, operator })),
    );
  });
}
