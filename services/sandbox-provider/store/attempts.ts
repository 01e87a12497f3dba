import type { DatabaseSync } from 'node:sqlite';
import type { AttemptRecord } from '../attempt/record.ts';

export function createAttemptStore(db: DatabaseSync) {
  const get = db.prepare('SELECT record FROM attempts WHERE key = ?');
  const put = db.prepare(
    'INSERT INTO attempts (key, operation_id, record) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record',
  );
  const ofOperation = db.prepare('SELECT record FROM attempts WHERE operation_id = ?');
  const read = (row: Record<string, unknown>) => JSON.parse(String(row['record'])) as AttemptRecord;
  return {
    get: (key: string): AttemptRecord | undefined => {
      const row = get.get(key);
      return row && read(row);
    },
    put: (record: AttemptRecord) =>
      void put.run(record.key, record.operationId, JSON.stringify(record)),
    /** Every attempt at the operation, the first one first. */
    ofOperation: (operationId: string): AttemptRecord[] =>
      ofOperation
        .all(operationId)
        .map(read)
        .toSorted((left, right) => left.attempt - right.attempt),
  };
}
