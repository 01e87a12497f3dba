import { hash } from 'node:crypto';
import type { Operation } from '#shared/domain/operation/state.ts';
import type { ReceiptStore } from './receipt-store.ts';
import { receiptKey } from './store.ts';

/** The receipt store has another file than the payer uploaded. */
export class ReplacedReceiptError extends Error {
  override name = 'ReplacedReceiptError';
}

/**
 * The bytes that a payer uploaded, by their hash in the log, because the receipt store may have
 * been changed; undefined if there are none, as after an erasure.
 * @throws ReplacedReceiptError; and if they can't be read
 */
export async function readUploadedFile(
  receipts: Pick<ReceiptStore, 'get'>,
  operationId: string,
  {
    receiptId,
    sha256,
    sizeBytes,
  }: Pick<Operation['receipts'][number], 'receiptId' | 'sha256'> & { sizeBytes?: number },
): Promise<Uint8Array | undefined> {
  const content = await receipts.get(
    receiptKey(operationId, receiptId),
    // One more shows that it is larger.
    sizeBytes === undefined ? undefined : Math.max(sizeBytes, 0) + 1,
  );
  if (content && hash('sha256', content, 'hex') !== sha256)
    throw new ReplacedReceiptError('the receipt store has another file than was uploaded');
  return content;
}
