import { hash } from 'node:crypto';
import { noteSubmitted, uploadReceipt } from '#shared/domain/operation/decisions.ts';
import type { NewReceipt } from '#shared/domain/operation/receipt/upload.ts';
import { findAttempt, type Operation } from '#shared/domain/operation/state.ts';
import { isPdf } from '#shared/domain/operation/receipt/upload.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { newId } from '#shared/platform/ids.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import { handleAdmitted } from '#shared/application/operations/handle-operation.ts';
import { attemptRef } from '#shared/application/providers/connector.ts';
import { byAnother, type Origin } from '#shared/application/commands/origin.ts';
import {
  readRecordedVersions,
  withSureVersion,
} from '#shared/application/operations/poll-attempt.ts';
import { takeReport } from '#shared/application/operations/take-report.ts';
import type { ReportSealers } from '#shared/application/personal-data/personal-data.ts';
import type { Providers } from '#shared/application/providers/connector.ts';
import type { ReceiptStore } from './receipt-store.ts';
import { receiptContentType, receiptKey } from './store.ts';

export type ConfirmDependencies = {
  store: EventStore;
  providers: Providers;
  receipts: ReceiptStore;
  personal: ReportSealers;
  logger: Logger;
};

type Confirmation =
  /** The receipt is stored, now or before; the operation as it is. */
  | { outcome: 'taken'; operation: Operation }
  | { outcome: 'not_expected' }
  /** It is unknown whether it is stored: the caller must send it again. */
  | { outcome: 'undecided'; cause: unknown };

/** A payer waits for this; if the provider takes longer, the processor submits the receipt. */
const submissionTimeoutMs = 3_000;

/**
 * Adds a payer's receipt to an operation (R9.6): its bytes are stored before the event, then the
 * provider gets them. The same bytes again change nothing.
 */
export async function confirmPayment(
  dependencies: ConfirmDependencies,
  { operation, content, origin }: { operation: Operation; content: Uint8Array; origin: Origin },
): Promise<Confirmation> {
  const { operationId } = operation;
  const receipt = describe(content);
  const dryRun = uploadReceipt(operation, receipt);
  if ('refusal' in dryRun) return { outcome: 'not_expected' };
  if (dryRun.events.length === 0) return { outcome: 'taken', operation };
  try {
    await dependencies.receipts.put(receiptKey(operationId, receipt.receiptId), content);
  } catch (cause) {
    return { outcome: 'undecided', cause };
  }
  const { store } = dependencies;
  const uploaded = await handleAdmitted({ store, operation, origin }, (state) =>
    uploadReceipt(state, receipt),
  );
  if (uploaded.outcome === 'undecided') return uploaded;
  // Another upload was first, with other bytes or the same: no event refers to this file.
  const isStored = uploaded.outcome === 'done' && uploaded.decision.events.length > 0;
  if (!isStored) await discard(dependencies, receiptKey(operationId, receipt.receiptId));
  if (uploaded.outcome === 'refused') return { outcome: 'not_expected' };
  const confirmed = uploaded.state;
  if (!isStored) return { outcome: 'taken', operation: confirmed };
  return {
    outcome: 'taken',
    operation: await submit(dependencies, confirmed, { receipt, content, origin }),
  };
}

/**
 * The id belongs to this upload only, so its file may be removed. Equal bytes are recognised by
 * their hash.
 */
function describe(content: Uint8Array): NewReceipt {
  const sha256 = hash('sha256', content, 'hex');
  return { receiptId: newId(), sha256, sizeBytes: content.byteLength, pdf: isPdf(content) };
}

/** A file that can't be removed now is removed with the client's data. */
async function discard({ receipts, logger }: ConfirmDependencies, key: string): Promise<void> {
  await receipts.remove(key).catch((error: unknown) => {
    logger.warn({ err: error, key }, 'a receipt that was not accepted could not be removed');
  });
}

/**
 * Submits the receipt to the provider, and applies its answer. Returns the operation after that.
 */
async function submit(
  { store, personal, providers, logger }: ConfirmDependencies,
  operation: Operation,
  { receipt, content, origin }: { receipt: NewReceipt; content: Uint8Array; origin: Origin },
): Promise<Operation> {
  const { operationId, accepted } = operation;
  const attempt = accepted && findAttempt(operation, accepted.attempt);
  const route = attempt?.route;
  const connector = route && providers.get(route.provider);
  if (!connector) return operation;
  const { receiptId } = receipt;
  const recorded = await readRecordedVersions(store, { operation, attempt: attempt.attempt }).catch(
    (error: unknown) => {
      logger.warn({ err: error, operationId, receiptId }, 'the receipt will be submitted later');
      return undefined;
    },
  );
  if (!recorded) return operation;
  const answer = (await connector.submitReceipt?.(
    attemptRef(operation, attempt),
    { receiptId, content, contentType: receiptContentType(receipt.pdf) },
    { timeoutMs: submissionTimeoutMs },
  )) ?? { outcome: 'refused' as const };
  if (answer.outcome === 'unknown') {
    logger.warn(
      { operationId, receiptId, cause: answer.cause },
      'the receipt will be submitted again',
    );
    return operation;
  }
  const provider = byAnother(origin, `provider:${route.provider}`);
  const noted = await handleAdmitted({ store, operation, origin: provider }, (state) =>
    noteSubmitted(state, { receiptId, isAccepted: answer.outcome === 'taken' }),
  );
  const current = noted.outcome === 'done' ? noted.state : operation;
  if (answer.outcome === 'refused') return current;
  const report = await takeReport(
    { store, personal },
    {
      operationId,
      provider: route.provider,
      answer: answer.answer,
      report: withSureVersion(answer.report, recorded),
    },
    provider,
  );
  // A report that could not be applied is repeated, by a callback or when the provider is polled.
  return report.outcome === 'taken' ? report.operation : current;
}
