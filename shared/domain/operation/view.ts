import { operationObject, type OperationObject } from './fields/derive.ts';
import { snapshotState, type OpenedRecipients } from './fields/snapshot.ts';
import type { Operation } from './state.ts';

/** The operation object (R5.1) without the fields that only one endpoint adds. */
export type OperationView = OperationObject<'create'>;

/**
 * What a merchant sees of an operation, field by field as its state allows (R5.2 to R5.13).
 * Nothing of an operation that is still being created: it has no status to show yet. `number`,
 * `name` and `metadata` only as far as they were opened.
 */
export const viewOperation = (
  operation: Operation,
  opened: OpenedRecipients = {},
): OperationView | undefined =>
  operation.status === 'creating'
    ? undefined
    : operationObject('create', snapshotState(operation, opened));
