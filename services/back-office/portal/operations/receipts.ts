import { readEvidence } from '#shared/application/receipts/evidence.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { readerOf, shopIdOf, type Portal, type PortalApp } from '../env.ts';
import { findOperation } from './find.ts';

/** Redirects to a receipt's file in the merchant API, by a new link, because links expire soon. */
export function registerReceipts(app: PortalApp, portal: Portal): void {
  const { store, personal, receiptLinks, accessLog } = portal;
  app.get('/operations/:operation_id/receipts/:receipt_id', async (c) => {
    const { operation } = await findOperation(store, shopIdOf(c), c.req.param('operation_id'));
    const [evidence, { erased }] = await Promise.all([
      fromStore(readEvidence(store, operation)),
      fromStore(personal.open(operation)),
    ]);
    const item = evidence?.items.find(({ receipt_id: id }) => id === c.req.param('receipt_id'));
    if (!item?.file || erased) throw new Problem('not_found');
    const { operationId } = operation;
    accessLog.saw(readerOf(c), { operationId, shown: 'receipt' });
    return c.redirect(receiptLinks.urlOf(operationId, item.receipt_id), 303);
  });
}
