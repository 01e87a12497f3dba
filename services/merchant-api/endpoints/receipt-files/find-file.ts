import { findAttempt, type Operation } from '#shared/domain/operation/state.ts';
import type { EvidenceItem } from '#shared/domain/evidence/events.ts';
import { attemptRef } from '#shared/application/providers/connector.ts';
import { readOperation } from '#shared/application/operations/streams.ts';
import { readEvidence } from '#shared/application/receipts/evidence.ts';
import { readUploadedFile } from '#shared/application/receipts/read-uploaded.ts';
import { uploadedFileHeaders } from '#shared/application/receipts/uploaded-file.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { MerchantDependencies } from '../../dependencies.ts';

type Sources = Pick<MerchantDependencies, 'store' | 'providers' | 'personal' | 'receipts'>;

type ReceiptFile = { content: Uint8Array; headers: Record<string, string> };
/** A file that a link names, and whose it is. */
type FoundFile = { shopId: string; read(): Promise<ReceiptFile> };

const fileTimeoutMs = 10_000;

/** Types that a browser may show inline: none that could run as a page of the gateway. */
const inlineTypes: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
};

/**
 * A provider's file, or one that the payer uploaded. @throws Problem receipt_url_invalid,
 * receipt_evidence_unavailable
 */
export async function findFile(
  sources: Sources,
  operationId: string,
  receiptId: string,
): Promise<FoundFile> {
  const { store, personal } = sources;
  const operation = await readOperation(store, operationId).catch(unavailable);
  // Links are made only for existing files; without one, the link is not ours.
  if (!operation) throw new Problem('receipt_url_invalid');
  const read = await fileReader(sources, operation, receiptId);
  const { erased } = await personal.open(operation).catch(unavailable);
  if (erased) throw erasedFile();
  return { shopId: operation.shopId, read };
}

async function fileReader(
  sources: Sources,
  operation: Operation,
  receiptId: string,
): Promise<FoundFile['read']> {
  const uploaded = operation.receipts.find((receipt) => receipt.receiptId === receiptId);
  if (uploaded) return () => readUploaded(sources, operation, uploaded);
  const evidence = await readEvidence(sources.store, operation).catch(unavailable);
  const item = evidence?.items.find(({ receipt_id }) => receipt_id === receiptId);
  if (!item?.file) throw new Problem('receipt_url_invalid');
  return () => fetchFile(sources, operation, item);
}

async function readUploaded(
  { receipts }: Sources,
  { operationId }: Operation,
  uploaded: Operation['receipts'][number],
): Promise<ReceiptFile> {
  const content = await readUploadedFile(receipts, operationId, uploaded).catch(unavailable);
  if (!content) throw erasedFile();
  return { content, headers: uploadedFileHeaders(uploaded, content) };
}

async function fetchFile(
  { providers }: Sources,
  operation: Operation,
  { attempt: number, provider, leg_id, receipt_id }: EvidenceItem,
): Promise<ReceiptFile> {
  const connector = providers.get(provider);
  const attempt = findAttempt(operation, number);
  if (!attempt || !connector?.fetchReceiptFile)
    return unavailable(new Error(`provider ${provider} gives no files`));
  const bounds = { timeoutMs: fileTimeoutMs };
  const fetched = await connector.fetchReceiptFile(attemptRef(operation, attempt), leg_id, bounds);
  if (fetched.outcome !== 'file') return unavailable(fetched);
  const extension = inlineTypes[fetched.contentType];
  const headers = {
    'content-type': extension ? fetched.contentType : 'application/octet-stream',
    'content-disposition': `${extension ? 'inline' : 'attachment'}; filename="receipt-${receipt_id}.${extension ?? 'bin'}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  };
  return { content: fetched.content, headers };
}

const erasedFile = () =>
  new Problem('receipt_url_invalid', {
    detail: 'the receipt was erased with the client’s personal data',
  });

function unavailable(cause: unknown): never {
  throw new Problem('receipt_evidence_unavailable', {
    detail: 'the file is not available at the moment',
    cause,
  });
}
