import { readEvidence } from '#shared/application/receipts/evidence.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { sessionReader, sessionShopId, type Portal, type PortalContext } from '../env.ts';
import { findOperation } from './find.ts';

/**
 * Redirects to a file in the merchant API, by a new link, because links expire soon: a receipt of a
 * transfer, or one that the payer uploaded. There, at another origin than this page and its
 * session, it can do nothing.
 */
export async function redirectToReceipt(c: PortalContext, portal: Portal): Promise<Response> {
  const { store, personal, receiptLinks, accessLog } = portal;
  const { operation } = await findOperation(store, sessionShopId(c), c.req.param('operation_id'));
  const { operationId } = operation;
  const receiptId = c.req.param('receipt_id') ?? '';
  const { erased } = await fromStore(personal.open(operation));
  if (erased || !(await hasFile(portal, operation, receiptId))) throw new Problem('not_found');
  accessLog.saw(sessionReader(c), { operationId, shown: 'receipt' });
  return c.redirect(receiptLinks.urlOf(operationId, receiptId), 303);
}

async function hasFile(
  { store }: Portal,
  operation: Operation,
  receiptId: string,
): Promise<boolean> {
  if (operation.receipts.some((uploaded) => uploaded.receiptId === receiptId)) return true;
  const evidence = await fromStore(readEvidence(store, operation));
  return evidence?.items.some(({ receipt_id: id, file }) => id === receiptId && file) ?? false;
}
