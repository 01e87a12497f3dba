import type { Context, Hono } from 'hono';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { readMultipart } from '#shared/http/multipart.ts';
import { createPlaces } from '#shared/http/places.ts';
import { Problem } from '#shared/http/problems.ts';
import { readOperation } from '#shared/operations/streams.ts';
import { maxReceiptBytes } from '#shared/providers/connector.ts';
import { confirmPayment } from '#shared/receipts/confirm.ts';
import type { MerchantEnv } from '../authentication.ts';
import type { Dependencies } from '../dependencies.ts';
import { originOf } from '../origin.ts';
import { confirmFieldsSchema, confirmFileName, readConfirmation } from './body.ts';

/** What all uploads under way may hold: 32 of the largest, which may take a minute each; a shop may hold 8. */
const room = { totalBytes: 32 * maxReceiptBytes, ownerBytes: 8 * maxReceiptBytes };

const rules = {
  fields: Object.keys(confirmFieldsSchema.shape),
  file: confirmFileName,
  maxFileBytes: maxReceiptBytes,
};

/** POST /v1/confirm_payment (specification 4.4). */
export function registerConfirm(app: Hono<MerchantEnv>, dependencies: Dependencies): void {
  const places = createPlaces(room);
  app.post('/v1/confirm_payment', (c) =>
    places.run({ owner: c.get('shop').shopId, bytes: sizeOf(c) }, async () => {
      const { operationId, content } = readConfirmation(await readMultipart(c, rules));
      // From the log itself: an operator may have asked for another receipt on any other instance.
      const operation = await readOperation(dependencies.store, operationId).catch((cause: unknown) => {
        throw new Problem('not_ready', { detail: 'the operation could not be read', cause });
      });
      const ours = operation?.shopId === c.get('shop').shopId && viewOperation(operation) !== undefined;
      if (!operation || !ours) throw new Problem('operation_not_found');
      const confirmed = await confirmPayment(dependencies, { operation, content, origin: originOf(c) });
      switch (confirmed.outcome) {
        case 'taken':
          await dependencies.booksFirst.settle(confirmed.operation);
          return c.json(viewOperation(confirmed.operation));
        case 'not_expected':
          throw new Problem('confirmation_not_expected');
        case 'undecided':
          throw new Problem('not_ready', {
            detail: 'it is not known whether the receipt was kept: send it again',
            cause: confirmed.cause,
          });
      }
    }),
  );
}

/** How much a form will hold, as far as its sender says. */
function sizeOf(c: Context): number {
  const declared = Number(c.req.header('content-length') ?? maxReceiptBytes);
  return declared >= 0 && declared < maxReceiptBytes ? declared : maxReceiptBytes;
}
