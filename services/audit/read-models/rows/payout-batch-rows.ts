import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { jsonbText } from './jsonb.ts';
import type { Row as AnyRow } from './tables.ts';

type Row = AnyRow & { rows: number; created: number; failed: number };

/** The rows of files of payouts. */
export function createPayoutBatchRows() {
  const open = new Map<string, Row>();
  /** The row after this event; undefined for an event that is of no row. */
  return ({ type, data }: PayoutBatchEvent, envelope: EventEnvelope): Row | undefined => {
    const newest = { updated_at: envelope.atMs, position: envelope.event.position };
    if (type === 'PayoutBatchChecked') {
      const { batch_id, shop_id, rows, errors, total, sealed_file: file = null } = data;
      const counts = { rows, errors: errors.length, created: 0, failed: 0 };
      const uploaded_key_id = envelope.keyId ?? null;
      const uploaded = { uploaded_by: envelope.actor, uploaded_key_id, uploaded_at: envelope.atMs };
      const later = { confirmed_by: null, confirmed_at: null, done_at: null };
      const about = { batch_id, shop_id, file, status: 'checked', total: jsonbText(total) };
      open.set(batch_id, { ...about, ...counts, ...uploaded, ...later, ...newest });
      return open.get(batch_id);
    }
    const row = open.get(data.batch_id);
    if (!row || type === 'PayoutBatchRowsStored') return undefined;
    Object.assign(row, newest);
    if (type === 'PayoutBatchConfirmed' && row['confirmed_by'] === null)
      Object.assign(row, {
        status: 'running',
        confirmed_by: envelope.actor,
        confirmed_at: envelope.atMs,
      });
    if (type === 'PayoutBatchRowsCreated') {
      for (const { code } of data.results) row[code === undefined ? 'created' : 'failed'] += 1;
      if (row.created + row.failed >= row.rows)
        Object.assign(row, { status: 'done', done_at: envelope.atMs });
    }
    return row;
  };
}
