import type { ServerResponse } from 'node:http';
import type { Context, Hono } from 'hono';
import { createSlots } from '#shared/platform/http/slots.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { receiptPath } from '#shared/application/receipts/links.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { MerchantDependencies } from '../../dependencies.ts';
import { findFile } from './find-file.ts';

/**
 * The most memory for all downloads in progress, and for those of one shop. Each counts with the
 * largest size, because the size of a file is unknown before it is received.
 */
const capacity = { total: 32 * maxReceiptBytes, perOwner: { shop: 8 * maxReceiptBytes } };

/**
 * GET /receipts/…: a provider's file (R10.8), or one that the payer uploaded (R21.12), for anyone
 * with a valid link.
 */
export function registerReceiptFiles(
  app: Hono<MerchantEnv>,
  dependencies: Pick<
    MerchantDependencies,
    'store' | 'providers' | 'links' | 'personal' | 'receipts'
  >,
): void {
  const slots = createSlots(capacity);
  app.get(receiptPath, async (c) => {
    if (!dependencies.links.isValid(rawTarget(c))) throw new Problem('receipt_url_invalid');
    const { operation_id: operationId, receipt_id: receiptId } = c.req.param();
    const { shopId, read } = await findFile(dependencies, operationId, receiptId);
    const slot = slots.open({ shop: shopId });
    try {
      slot.acquire(maxReceiptBytes);
      const { content, headers } = await read();
      afterResponse(c, () => slot.release());
      return c.body(new Uint8Array(content), 200, headers);
    } catch (error) {
      slot.release();
      throw error;
    }
  });
}

/** Calls back when the response is with the reader, or its connection has closed. */
function afterResponse(c: Context, sent: () => void): void {
  const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse };
  if (outgoing === undefined || outgoing.destroyed) sent();
  else outgoing.once('close', sent);
}

/**
 * The path and query as they were sent: a parsed URL may hide that a byte was altered.
 */
function rawTarget(c: Context): string {
  const { incoming } = (c.env ?? {}) as { incoming?: { url?: string } };
  if (incoming?.url !== undefined) return incoming.url;
  const { pathname, search } = new URL(c.req.raw.url);
  return pathname + search;
}
