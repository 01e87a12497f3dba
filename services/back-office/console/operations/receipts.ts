import { Problem } from '#shared/platform/http/problems.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { pageHeaders } from '#shared/platform/pages/index.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import { readAdmitted } from '../../api/operations/read.ts';
import type { Console, ConsoleApp } from '../env.ts';
import { pictureType } from './receipt-kind.ts';

/** No script, no form, an opaque origin; browsers need the style to show a picture. */
const ofPicture = {
  'default-src': "'none'",
  'script-src': "'none'",
  'style-src': "'unsafe-inline'",
  'frame-ancestors': "'self'",
  sandbox: '',
};

/**
 * A payer's uploaded file, for the reviewer. Its sender is not trusted: only what is a PDF or a
 * picture by its content is shown, and only in this console; all else is an untyped download. A PDF
 * can't have `sandbox`, as browsers then refuse to show it. Their viewers don't run the page's
 * scripts, and the policy allows none.
 */
export function registerReceipts(app: ConsoleApp, console: Console): void {
  app.get('/operations/:operation_id/receipts/:receipt_id', async (c) => {
    const operation = await readAdmitted(console.store, c.req.param('operation_id'));
    const { operationId, receipts } = operation;
    const uploaded = receipts.find(({ receiptId }) => receiptId === c.req.param('receipt_id'));
    if (!uploaded) throw new Problem('not_found');
    const content = await readReceipt(console, operation, uploaded);
    if (!content) throw new Problem('not_found', { detail: 'the receipt store has no such file' });
    console.accessLog.saw(c.get('session').holder, { operationId, shown: 'receipt' });
    const type = uploaded.pdf ? 'application/pdf' : pictureType(content);
    const end = type?.replace(/^.*\//, '') ?? 'bin';
    return c.body(new Uint8Array(content), 200, {
      ...pageHeaders({
        policy: type?.startsWith('image/') ? ofPicture : { 'frame-ancestors': "'self'" },
      }),
      'x-frame-options': 'SAMEORIGIN',
      'content-type': type ?? 'application/octet-stream',
      'content-disposition': `${type ? 'inline' : 'attachment'}; filename="${uploaded.receiptId}.${end}"`,
    });
  });
}

/** Undefined for a file that was erased. @throws Problem not_ready */
export const readReceipt = (
  { receipts }: Pick<Console, 'receipts'>,
  { operationId }: Operation,
  { receiptId }: Operation['receipts'][number],
) =>
  receipts.get(receiptKey(operationId, receiptId)).catch((cause: unknown) => {
    throw new Problem('not_ready', { detail: 'the receipt store is unavailable', cause });
  });
