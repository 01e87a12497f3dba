import { hash } from 'node:crypto';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { ReceiptStore } from './receipt-store.ts';
import { receiptKey } from './store.ts';

/**
 * The bytes that a payer uploaded; undefined if there are none, as after an erasure. Whoever can
 * write to the receipt store can't write to the log, which has their hash. @throws if they can't be
 * read, or are others
 */
export async function readUploadedFile(
  receipts: Pick<ReceiptStore, 'get'>,
  operationId: string,
  { receiptId, sha256 }: Operation['receipts'][number],
): Promise<Uint8Array | undefined> {
  const content = await receipts.get(receiptKey(operationId, receiptId));
  if (content && hash('sha256', content, 'hex') !== sha256)
    throw new Error('the receipt store has another file than the one that was uploaded');
  return content;
}
