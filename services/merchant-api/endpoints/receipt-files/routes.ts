import type { ServerResponse } from 'node:http';
import type { Context, Hono } from 'hono';
import { attemptOf, type Operation } from '#shared/domain/operation/state.ts';
import type { EvidenceItem } from '#shared/domain/evidence/events.ts';
import { createSlots } from '#shared/platform/http/slots.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { attemptRef } from '#shared/application/providers/connector.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { readEvidence } from '#shared/application/receipts/evidence.ts';
import { receiptPath } from '#shared/application/receipts/links.ts';
import type { MerchantEnv } from '../../authentication.ts';
import type { Dependencies } from '../../dependencies.ts';

const fileTimeoutMs = 10_000;
/**
 * The most memory for all downloads in progress, and for those of one shop. Each counts with the
 * largest size, because the size of a file is unknown before it is received.
 */
const capacity = { total: 32 * maxReceiptBytes, perOwner: { shop: 8 * maxReceiptBytes } };

/** Types that a browser may show inline: none that could run as a page of the gateway. */
const shown: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
};

/** GET /receipts/…: a provider's file, for anyone with a valid link (R10.8). */
export function registerReceiptFiles(
  app: Hono<MerchantEnv>,
  {
    store,
    providers,
    links,
    personal,
  }: Pick<Dependencies, 'store' | 'providers' | 'links' | 'personal'>,
): void {
  const slots = createSlots(capacity);
  app.get(receiptPath, async (c) => {
    if (!links.isValid(targetOf(c))) throw new Problem('receipt_url_invalid');
    const operationId = c.req.param('operation_id');
    const { operation, item } = await findItem(operationId, c.req.param('receipt_id'));
    const { shopId } = operation;
    const slot = slots.open({ shop: shopId });
    try {
      slot.acquire(maxReceiptBytes);
      const file = await fetchFile(operation, item);
      afterResponse(c, () => slot.release());
      const extension = shown[file.contentType];
      return c.body(new Uint8Array(file.content), 200, {
        'content-type': extension ? file.contentType : 'application/octet-stream',
        'content-disposition': `inline; filename="receipt-${item.receipt_id}.${extension ?? 'bin'}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
    } catch (error) {
      slot.release();
      throw error;
    }
  });

  async function findItem(operationId: string, receiptId: string) {
    const operation = await readOperation(store, operationId).catch(unavailable);
    const evidence = operation && (await readEvidence(store, operation).catch(unavailable));
    const item = evidence?.items.find(({ receipt_id }) => receipt_id === receiptId);
    // Links are made only for existing evidence; without it, the link is not ours.
    if (!operation || !evidence || !item?.file) throw new Problem('receipt_url_invalid');
    const { erased } = await personal.open(operation).catch(unavailable);
    if (erased)
      throw new Problem('receipt_url_invalid', {
        detail: 'the receipt was erased with the client’s personal data',
      });
    return { operation, item };
  }

  async function fetchFile(
    operation: Operation,
    { attempt: number, provider, leg_id }: EvidenceItem,
  ) {
    const connector = providers.get(provider);
    const attempt = attemptOf(operation, number);
    if (!attempt || !connector?.fetchReceiptFile)
      return unavailable(new Error(`provider ${provider} gives no files`));
    const bounds = { timeoutMs: fileTimeoutMs };
    const fetched = await connector.fetchReceiptFile(
      attemptRef(operation, attempt),
      leg_id,
      bounds,
    );
    return fetched.outcome === 'file' ? fetched : unavailable(fetched);
  }
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
function targetOf(c: Context): string {
  const { incoming } = (c.env ?? {}) as { incoming?: { url?: string } };
  if (incoming?.url !== undefined) return incoming.url;
  const { pathname, search } = new URL(c.req.raw.url);
  return pathname + search;
}

function unavailable(cause: unknown): never {
  throw new Problem('receipt_evidence_unavailable', {
    detail: 'the file is not available at the moment',
    cause,
  });
}
