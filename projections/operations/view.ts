import type { OpenedFields } from '#shared/domain/operation/events.ts';
import type { Snapshot } from '#shared/domain/operation/fields/snapshot.ts';
import type { ListedOperation } from './returned.ts';

/**
 * The snapshot of a row, without requisites: no read model holds a number or a name. `opened`: the
 * row's encrypted fields, where they were decrypted.
 */
export const snapshotRow = (row: ListedOperation, opened: OpenedFields = {}): Snapshot => ({
  ...row,
  request: row,
  opened,
  expires_at: row.expires_at?.toISOString(),
  recipient: {
    ...(row.bankname !== null && { bankname: row.bankname }),
    ...(row.bankname_details !== null && { bankname_details: row.bankname_details }),
  },
  created_at: row.created_at.toISOString(),
});
