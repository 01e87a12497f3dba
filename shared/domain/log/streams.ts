import { ledgerStreamPrefix } from '../ledger/events.ts';
import { operationStreamPrefix } from '../operation/events.ts';
import { personalKeyPrefix } from '../personal-data/events.ts';
import { isClosedBy, logStream } from './events.ts';

/** The gateway's streams, as options for the event store's client. */
export const logStreams = {
  /** Read soon after they began, by the process that began them. */
  recent: [operationStreamPrefix, personalKeyPrefix],
  /**
   * Most of the log, and never deleted or truncated, so that checkpoints are identified by these.
   */
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
