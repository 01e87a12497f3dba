import type { Context } from 'hono';
import type { MultipartRules } from '#shared/http/multipart.ts';
import { maxReceiptBytes } from '#shared/providers/connector.ts';

/** The part of a form that is the receipt (specification 4.4). */
export const receiptPart = 'receipt';

/**
 * What all uploads of a process that are under way may hold: 32 of the largest, which may take a minute each; one owner
 * may hold 8.
 */
export const uploadRoom = { totalBytes: 32 * maxReceiptBytes, ownerBytes: 8 * maxReceiptBytes };

/** A form with a receipt, and with these other parts. */
export const receiptForm = (fields: readonly string[] = []): MultipartRules => ({
  fields,
  file: receiptPart,
  maxFileBytes: maxReceiptBytes,
});

/** How much a form will hold, as far as its sender says. */
export function uploadBytes(c: Context): number {
  const declared = Number(c.req.header('content-length') ?? maxReceiptBytes);
  return declared >= 0 && declared < maxReceiptBytes ? declared : maxReceiptBytes;
}
