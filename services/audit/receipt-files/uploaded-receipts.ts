import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import type { EventEnvelope } from '../report/findings/report-violation.ts';

/** A receipt that a payer uploaded, as the log has it. */
export type RecordedReceipt = {
  operationId: string;
  receiptId: string;
  sha256: string;
  sizeBytes: number;
  pdf: boolean;
  revision: number;
  position: number;
  shopId?: string | undefined;
};

export type RecordedReceipts = ReturnType<typeof createRecordedReceipts>;

type UploadData = Extract<OperationEvent, { type: 'ReceiptUploaded' }>['data'];

const linesAtOnce = 500;

/** Uploaded receipts, spilled to a file, because there may be more than memory holds. */
export function createRecordedReceipts(folder: string) {
  const path = join(folder, 'uploads');
  let handle: number | undefined;
  let lines: string[] = [];
  let count = 0;
  const flush = () => {
    if (lines.length === 0) return;
    handle ??= openSync(path, 'a', 0o600);
    writeSync(handle, lines.join(''));
    lines = [];
  };
  return {
    take: ({ type, data, event }: EventEnvelope, shopId: string | undefined): void => {
      if (type !== 'ReceiptUploaded') return;
      const { receipt_id: receiptId, size_bytes: sizeBytes, sha256, pdf } = data as UploadData;
      const { stream, revision, position } = event;
      const operationId = stream.slice('operation-'.length);
      const file = { receiptId, sha256, sizeBytes, pdf };
      const upload: RecordedReceipt = { operationId, ...file, revision, position, shopId };
      lines.push(`${JSON.stringify(upload)}\n`);
      count += 1;
      if (lines.length === linesAtOnce) flush();
    },
    count: () => count,
    /** In the order of the log. */
    all: async function* (): AsyncGenerator<RecordedReceipt> {
      flush();
      if (handle === undefined) return;
      const input = createReadStream(path, 'utf8');
      for await (const line of createInterface({ input }))
        yield JSON.parse(line) as RecordedReceipt;
    },
    close: (): void => {
      if (handle !== undefined) closeSync(handle);
    },
  };
}
