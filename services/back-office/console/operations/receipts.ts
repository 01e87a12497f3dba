import { Problem } from '#shared/platform/http/problems.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import {
  ReplacedReceiptError,
  readUploadedFile,
} from '#shared/application/receipts/read-uploaded.ts';
import { uploadedFileHeaders } from '#shared/application/receipts/uploaded-file.ts';
import { readAdmitted } from '#shared/application/operations/read-events.ts';
import type { Console, ConsoleContext } from '../env.ts';

/** A payer's uploaded file, for the reviewer, shown only in this console. */
export async function sendReceipt(c: ConsoleContext, console: Console): Promise<Response> {
  const operation = await readAdmitted(console.store, c.req.param('operation_id') ?? '');
  const { operationId, receipts } = operation;
  const uploaded = receipts.find(({ receiptId }) => receiptId === c.req.param('receipt_id'));
  if (!uploaded) throw new Problem('not_found');
  const content = await readReceipt(console, operation, uploaded);
  if (!content) throw new Problem('not_found', { detail: 'the receipt store has no such file' });
  console.accessLog.saw(c.get('session').holder, { operationId, shown: 'receipt' });
  const headers = uploadedFileHeaders(uploaded, content, { frameAncestors: 'self' });
  return c.body(new Uint8Array(content), 200, headers);
}

/** Undefined for a file that was erased. @throws Problem not_ready, also if it was replaced */
export const readReceipt = (
  { receipts }: Pick<Console, 'receipts'>,
  { operationId }: Operation,
  receipt: Operation['receipts'][number],
) =>
  readUploadedFile(receipts, operationId, receipt).catch((cause: unknown) => {
    if (cause instanceof ReplacedReceiptError)
      throw new Problem('not_ready', { detail: cause.message, cause });
    throw new Problem('not_ready', { detail: 'the receipt store is unavailable', cause });
  });
