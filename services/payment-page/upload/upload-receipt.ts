import type { Context } from 'hono';
import { mayTakeReceipt } from '#shared/domain/operation/receipt/upload.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { confirmPayment, type ConfirmDependencies } from '#shared/application/receipts/confirm.ts';
import {
  receiptFormRules,
  uploadBodyLimits,
  uploadCapacity,
  type UploadLimits,
  type Uploads,
} from '#shared/application/receipts/receipt-form.ts';
import { currentTraceparent } from '#shared/platform/tracing/tracing.ts';
import type { PayEnv } from '../dependencies.ts';
import type { UploadFault } from '../view/receipt-form.ts';

type UploadRefused = { status: 400 | 412 | 413 | 503; fault: UploadFault };

const rules = receiptFormRules();

/** A payer uploads one receipt, or a few by mistake; but many payers share an address. */
export const pageUploads: UploadLimits = {
  incomingBodies: {
    ...uploadBodyLimits,
    capacity: { ...uploadBodyLimits.capacity, perOwner: { sender: 4, shop: 512, address: 64 } },
  },
  capacity: {
    ...uploadCapacity,
    perOwner: { ...uploadCapacity.perOwner, sender: 2 * maxReceiptBytes },
  },
};

/**
 * Accepts a payer's receipt, as `confirm_payment` accepts the shop's (R15.4).
 * @returns undefined if it was accepted, else why not
 * @throws Problem content_type_unsupported, which no browser causes
 */
export async function uploadPayerReceipt(
  dependencies: ConfirmDependencies,
  { c, uploads, operation }: { c: Context<PayEnv>; uploads: Uploads; operation: Operation },
): Promise<UploadRefused | undefined> {
  const { operationId, shopId } = operation;
  // Before the body is read, because anyone who knows an address could send unwanted files.
  if (!mayTakeReceipt(operation)) return { status: 412, fault: 'notExpected' };
  const sentBy = { sender: operationId, shop: shopId, address: c.get('address') };
  try {
    return await uploads.run(c, { sentBy, rules }, async ({ file, errors }) => {
      if (errors.length > 0) return { status: 400, fault: 'malformed' };
      if (file === undefined || file.byteLength === 0) return { status: 400, fault: 'required' };
      return confirm(dependencies, { c, operationId, content: file });
    });
  } catch (error) {
    const fault = error instanceof Problem ? faults[error.code] : undefined;
    if (!fault) throw error;
    return fault;
  }
}

const faults: Partial<Record<Problem['code'], UploadRefused>> = {
  invalid_request: { status: 400, fault: 'malformed' },
  body_too_large: { status: 413, fault: 'tooLarge' },
  not_ready: { status: 503, fault: 'busy' },
};

async function confirm(
  dependencies: ConfirmDependencies,
  { c, operationId, content }: { c: Context<PayEnv>; operationId: string; content: Buffer },
): Promise<UploadRefused | undefined> {
  const { store, logger } = dependencies;
  const requestId = c.get('requestId');
  // From the log itself, as `confirm_payment` reads it: a decision must not use an older state.
  const operation = await readOperation(store, operationId).catch((cause: unknown) => {
    throw new Problem('not_ready', { detail: 'the payment could not be read', cause });
  });
  if (!operation) throw new Problem('operation_not_found');
  const confirmed = await confirmPayment(dependencies, {
    operation,
    content,
    origin: {
      actor: 'payer:payment-page',
      correlationId: requestId,
      requestId,
      traceparent: currentTraceparent(),
    },
  });
  if (confirmed.outcome === 'taken') return undefined;
  if (confirmed.outcome === 'not_expected') return { status: 412, fault: 'notExpected' };
  logger.warn(
    { err: confirmed.cause, operationId, requestId },
    'a receipt may not have been stored',
  );
  return { status: 503, fault: 'busy' };
}
