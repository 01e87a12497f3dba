import { ledgerStreamPrefix } from '../ledger/events.ts';
import { operationStreamPrefix } from '../operation/events.ts';
import { personalKeyPrefix } from '../personal-data/events.ts';
import { isClosedBy, logStream } from './events.ts';

/** What the client of the event store is told about the gateway's streams. */
export const logStreams = {
  /** Read soon after they began, by the process that began them. */
  recent: [operationStreamPrefix, personalKeyPrefix],
  /** Most of the log, and never deleted or truncated: a checkpoint is looked up in these. */
  lasting: [operationStreamPrefix, ledgerStreamPrefix],
  closing: { stream: logStream, isClosedBy },
} as const;

/**
 * The part of a stream's name before the first hyphen, and the name of this kind of stream in
 * metrics.
 */
export const streamKinds: Readonly<Record<string, string>> = {
  operation: 'operation',
  late: 'late',
  receipts: 'receipts',
  ledger: 'ledger',
  adjustment: 'adjustment',
  shop: 'shop',
  merchant: 'merchant',
  operators: 'operators',
  directory: 'directory',
  webhook: 'webhook_commands',
  api: 'api_key_use',
  statement: 'statement',
};
