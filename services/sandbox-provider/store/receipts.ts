import type { DatabaseSync } from 'node:sqlite';

type NewReceipt = {
  key: string;
  operationId: string;
  receiptId: string;
  contentType: string;
  sha256: string;
  content: Uint8Array;
  receivedMs: number;
};

/** `times`: how often it came. */
type ReceiptRow = {
  receipt_id: string;
  key: string;
  content_type: string;
  sha256: string;
  bytes: number;
  received_ms: number;
  times: number;
};

export function createReceipts(db: DatabaseSync) {
  const find = db.prepare('SELECT sha256 FROM receipts WHERE key = ? AND receipt_id = ?');
  const count = db.prepare(
    'UPDATE receipts SET times = times + 1 WHERE key = ? AND receipt_id = ?',
  );
  const insert = db.prepare(`INSERT INTO receipts
    (key, receipt_id, operation_id, content_type, sha256, content, received_ms, times)
    VALUES (?, ?, ?, ?, ?, ?, ?, 1)`);
  const ofOperation =
    db.prepare(`SELECT receipt_id, key, content_type, sha256, length(content) AS bytes,
    received_ms, times FROM receipts WHERE operation_id = ? ORDER BY received_ms, rowid`);
  return {
    /** Whether it is new; a repeat is only counted. `other_content`: the id is another file's. */
    take: (receipt: NewReceipt): 'new' | 'repeat' | 'other_content' => {
      const { key, receiptId, operationId, contentType, sha256, content, receivedMs } = receipt;
      const existing = find.get(key, receiptId);
      if (existing) {
        if (existing['sha256'] !== sha256) return 'other_content';
        count.run(key, receiptId);
        return 'repeat';
      }
      insert.run(key, receiptId, operationId, contentType, sha256, content, receivedMs);
      return 'new';
    },
    has: (key: string, receiptId: string) => find.get(key, receiptId) !== undefined,
    ofOperation: (operationId: string) =>
      (ofOperation.all(operationId) as ReceiptRow[]).map(({ received_ms: receivedMs, ...row }) => ({
        ...row,
        received_at: new Date(receivedMs).toISOString(),
      })),
  };
}
