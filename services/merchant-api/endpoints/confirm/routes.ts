import type { Hono, MiddlewareHandler } from 'hono';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { confirmPayment } from '#shared/application/receipts/confirm.ts';
import {
  createUploads,
  receiptFormRules,
  type UploadLimits,
} from '#shared/application/receipts/receipt-form.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { forScope } from '../../scopes.ts';
import { requestSource } from '../../limits/bodies.ts';
import { decryptOrNotReady } from '../../decrypt-or-not-ready.ts';
import { shopOrigin } from '../../origin.ts';
import { ensureEntriesPosted } from '#shared/application/operations/post-before-answer.ts';
import { confirmFieldsSchema, readConfirmation } from '#shared/api/bodies/confirm.ts';

const rules = receiptFormRules(Object.keys(confirmFieldsSchema.shape));

/** POST /v1/confirm_payment. */
export function registerConfirm(app: Hono<MerchantEnv>, dependencies: MerchantDependencies): void {
  app.post(
    '/v1/confirm_payment',
    forScope('payments', async (c) => {
      const form = c.get('form');
      if (form === undefined) throw new Error('the form was not read');
      const { operationId, content } = readConfirmation(form);
      // From the log itself: an operator may have asked for another receipt on any other instance.
      const operation = await readOperation(dependencies.store, operationId).catch(
        (cause: unknown) => {
          throw new Problem('not_ready', { detail: 'the operation could not be read', cause });
        },
      );
      const isOwn =
        operation?.shopId === c.get('shop').shopId && viewOperation(operation) !== undefined;
      if (!operation || !isOwn) throw new Problem('operation_not_found');
      const confirmed = await confirmPayment(dependencies, {
        operation,
        content,
        origin: shopOrigin(c),
      });
      switch (confirmed.outcome) {
        case 'taken':
          await ensureEntriesPosted(dependencies.entryPoster, confirmed.operation);
          return c.json(
            viewOperation(
              confirmed.operation,
              await decryptOrNotReady(dependencies.personal, confirmed.operation),
            ),
          );
        case 'not_expected':
          throw new Problem('confirmation_not_expected');
        case 'undecided':
          throw new Problem('not_ready', {
            detail: 'it is not known whether the receipt was stored: send it again',
            cause: confirmed.cause,
          });
      }
    }),
  );
}

/**
 * Reads the form before the request is handled, and counts its bytes as used until the answer is
 * sent.
 * @throws Problem as `Uploads#run` does
 */
export function readConfirmForm(
  trustedProxies: number,
  limits?: Partial<UploadLimits>,
): MiddlewareHandler<MerchantEnv> {
  const uploads = createUploads(limits);
  return async (c, next) => {
    if (c.req.method !== 'POST') return next();
    return uploads.run(c, { sentBy: requestSource(c, trustedProxies), rules }, (form) => {
      c.set('form', form);
      return next();
    });
  };
}
