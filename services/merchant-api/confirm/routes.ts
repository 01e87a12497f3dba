import type { Hono } from 'hono';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { readMultipart } from '#shared/http/multipart.ts';
import { createPlaces } from '#shared/http/places.ts';
import { Problem } from '#shared/http/problems.ts';
import { readOperation } from '#shared/operations/streams.ts';
import { confirmPayment } from '#shared/receipts/confirm.ts';
import { receiptForm, uploadBytes, uploadRoom } from '#shared/receipts/upload.ts';
import type { MerchantEnv } from '../authentication.ts';
import type { Dependencies } from '../dependencies.ts';
import { opensNow } from '../opens-now.ts';
import { originOf } from '../origin.ts';
import { confirmFieldsSchema, readConfirmation } from './body.ts';

const rules = receiptForm(Object.keys(confirmFieldsSchema.shape));

/** POST /v1/confirm_payment (specification 4.4). */
export function registerConfirm(app: Hono<MerchantEnv>, dependencies: Dependencies): void {
  const places = createPlaces(uploadRoom);
  app.post('/v1/confirm_payment', (c) =>
    places.run({ owner: c.get('shop').shopId, bytes: uploadBytes(c) }, async () => {
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
          return c.json(
            viewOperation(confirmed.operation, await opensNow(dependencies.personal, confirmed.operation)),
          );
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
