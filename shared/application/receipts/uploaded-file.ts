import type { Operation } from '#shared/domain/operation/state.ts';
import { pageHeaders } from '#shared/platform/pages/security.ts';
import { pictureType } from './picture-type.ts';

type UploadedReceipt = Operation['receipts'][number];

/** No script, no form, an opaque origin; browsers need the style to show a picture. */
const sandboxed = {
  'default-src': "'none'",
  'script-src': "'none'",
  'style-src': "'unsafe-inline'",
  sandbox: '',
};

/**
 * The headers of a payer's uploaded file. Its sender is not trusted: only what is a PDF or a
 * picture by its content is shown; all else is an untyped download. A PDF can't have `sandbox`, as
 * browsers then refuse to show it. Their viewers don't run the page's scripts, and the policy
 * allows none.
 */
export function uploadedFileHeaders(
  { receiptId, pdf }: UploadedReceipt,
  content: Uint8Array,
  { frameAncestors = 'none' }: { frameAncestors?: 'none' | 'self' } = {},
): Record<string, string> {
  const type = pdf ? 'application/pdf' : pictureType(content);
  const end = type?.replace(/^.*\//, '') ?? 'bin';
  const framing = { 'frame-ancestors': `'${frameAncestors}'` };
  return {
    ...pageHeaders({ policy: pdf ? framing : { ...sandboxed, ...framing } }),
    ...(frameAncestors === 'self' && { 'x-frame-options': 'SAMEORIGIN' }),
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': `${type ? 'inline' : 'attachment'}; filename="${receiptId}.${end}"`,
  };
}
