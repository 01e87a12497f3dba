import {
  readUploadedFile,
  ReplacedReceiptError,
} from '#shared/application/receipts/read-uploaded.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import { createFlag } from '../report/findings/report-violation.ts';
import { isPdf } from '#shared/domain/operation/receipt/upload.ts';
import type { Report } from '../report/findings/findings.ts';
import type { RecordedReceipt, RecordedReceipts } from './uploaded-receipts.ts';

/** What became of the comparison of uploaded receipts with their files. */
export type FileFigures = { compared: number; notCompared: string[] };

type FileOptions = {
  receipts: Pick<ReceiptStore, 'get'>;
  report: Report;
  /** Whether the erasure of the operation's client was requested. */
  isErased(operationId: string): boolean;
};

/** A file has up to 10 MiB. */
const filesAtOnce = 4;
/** A store that does not respond is not read for every file. */
const mostUnread = 10;

/**
 * Compares each file in the receipt store with the SHA-256 that the log has of it. A file that is
 * not there could not be compared, unless an erasure has deleted it: a store that lost its files
 * proves nothing.
 */
export async function judgeReceiptFiles(
  uploads: Pick<RecordedReceipts, 'all'>,
  { receipts, report, isErased }: FileOptions,
): Promise<FileFigures> {
  const counts = { compared: 0, missing: 0, unread: 0 };
  let reason = '';
  const judge = async (upload: RecordedReceipt) => {
    const { operationId, revision, position, shopId } = upload;
    const stream = `operation-${operationId}`;
    const read = await readFile(receipts, upload);
    if ('reason' in read) {
      counts.unread += 1;
      reason ||= read.reason;
    } else if (read.missing) counts.missing += isErased(operationId) ? 0 : 1;
    else {
      counts.compared += 1;
      createFlag(
        { report },
        { event: { stream, revision, position } },
        shopId,
      )('receipt_file.content', read.problem);
    }
  };
  const remaining = uploads.all();
  const work = async () => {
    for await (const upload of sharedTurns(remaining)) {
      await judge(upload);
      if (counts.unread >= mostUnread) return;
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, work));
  await remaining.return(undefined);
  const more = counts.unread >= mostUnread ? ' or more' : '';
  return {
    compared: counts.compared,
    notCompared: [
      ...(counts.unread > 0 ? [`files of ${counts.unread}${more} receipts: ${reason}`] : []),
      ...(counts.missing > 0
        ? [
            `files of ${counts.missing} receipts: the receipt store has none, although no erasure of their clients was requested`,
          ]
        : []),
    ],
  };
}

type FileRead =
  | { missing: true }
  /** `problem`: how it contradicts the log. */
  | { missing: false; problem: string | undefined }
  /** Why it can't be read. */
  | { reason: string };

async function readFile(
  receipts: FileOptions['receipts'],
  upload: RecordedReceipt,
): Promise<FileRead> {
  const { operationId, receiptId, sizeBytes } = upload;
  try {
    const content = await readUploadedFile(receipts, operationId, upload);
    if (!content) return { missing: true };
    if (content.byteLength !== sizeBytes)
      return differs(`receipt ${receiptId} has ${content.byteLength} bytes, not ${sizeBytes}`);
    if (isPdf(content) !== upload.pdf)
      return differs(`receipt ${receiptId} is ${upload.pdf ? 'no PDF' : 'a PDF'}`);
    return differs(undefined);
  } catch (error) {
    return error instanceof ReplacedReceiptError
      ? differs(`the receipt store has another file than was uploaded as receipt ${receiptId}`)
      : { reason: errorMessage(error) };
  }
}

const differs = (problem: string | undefined): FileRead => ({ missing: false, problem });

/** The items that are left, for several loops at once. One that ends leaves them to the others. */
async function* sharedTurns<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  for (;;) {
    const next = await items.next();
    if (next.done === true) return;
    yield next.value;
  }
}
