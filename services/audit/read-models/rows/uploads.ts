import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { isEnding, type OperationFacts } from '../../log/operation/fold.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Row } from './tables.ts';

/** Applies one event of an operation to the rows of its receipts. */
export function applyUpload(
  uploads: Row[],
  facts: OperationFacts,
  { event, envelope }: { event: OperationEvent; envelope: EventEnvelope },
): void {
  const { position } = envelope.event;
  const { atMs, actor } = envelope;
  if (isEnding(event.type)) {
    for (const upload of uploads)
      if (upload['status'] !== 'closed') Object.assign(upload, { status: 'closed', position });
    return;
  }
  if (event.type === 'ReceiptUploaded') {
    const { receipt_id, sha256, size_bytes, pdf } = event.data;
    uploads.push({
      operation_id: facts.operationId,
      receipt_id,
      number: facts.receipts.length,
      shop_id: facts.shopId,
      sha256,
      size_bytes,
      pdf,
      uploaded_at: atMs,
      uploaded_by: actor,
      provider_answered_at: null,
      provider_took: null,
      flagged_at: null,
      flag_reason: null,
      decision: null,
      decided_by: null,
      decided_at: null,
      approved_amount: null,
      status: 'under_review',
      position,
    });
    return;
  }
  const about = 'receipt_id' in event.data ? event.data.receipt_id : undefined;
  const upload = uploads.find(({ receipt_id: id }) => id === about);
  if (!upload) return;
  upload['position'] = position;
  if (event.type === 'ReceiptSubmitted')
    Object.assign(upload, { provider_answered_at: atMs, provider_took: event.data.taken });
  if (event.type === 'ManualCheckStarted') {
    const flagged = {
      flagged_at: upload['flagged_at'] ?? atMs,
      flag_reason: event.data.reason ?? null,
    };
    Object.assign(upload, { ...flagged, status: 'manual_check' });
  }
  if (event.type === 'ReviewDecided') {
    const { decision, actual_amount } = event.data;
    Object.assign(upload, { decision, decided_by: actor, decided_at: atMs });
    upload['approved_amount'] = actual_amount ?? null;
    if (decision === 'ask_again') upload['status'] = decision;
  }
}
