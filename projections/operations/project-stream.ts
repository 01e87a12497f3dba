import type { StoredEvent } from '#shared/platform/event-store/index.ts';
import { projectOperation } from './project.ts';
import type { OperationRow } from './table.ts';
import { afterEvent, type UploadedReceiptRow } from './uploaded-receipts.ts';

type StreamRows = { operation: OperationRow; uploadedReceipts: readonly UploadedReceiptRow[] };

/**
 * The rows that the tables have once they have reached the end of an operation's stream, for pages
 * that may not lag behind it. Undefined before the admission.
 */
export function projectStream(events: readonly StoredEvent[]): StreamRows | undefined {
  let operation: OperationRow | undefined;
  let uploadedReceipts: readonly UploadedReceiptRow[] = [];
  for (const event of events) {
    operation = projectOperation(operation, event);
    if (operation) uploadedReceipts = afterEvent(uploadedReceipts, operation, event);
  }
  return operation && { operation, uploadedReceipts };
}
