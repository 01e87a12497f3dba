import { createLogger } from '#shared/platform/logging/logger.ts';
import type { Operator } from './authentication.ts';

/** The part of an operation that was shown, with its personal data unless that is erased. */
export type Shown = 'operation' | 'events' | 'receipt';

type Access = { operator: Operator; operationId: string; shown: Shown };
/** A list that was exported, and its shop if it is of one. */
type Exported = { operator: Operator; list: ExportedList; shopId: string | undefined };
export type ExportedList =
  | 'operations'
  | 'journal'
  | 'balances'
  | 'webhook-deliveries'
  | 'activity'
  | 'statements'
  | 'statement-findings';

export type AccessLog = { saw(access: Access): void; exported(exported: Exported): void };

/**
 * Logs to stdout which operator viewed which operation's personal data or exported a list, at any
 * LOG_LEVEL, so that every access can be determined. The data itself is not logged.
 */
export function createAccessLog(destination?: { write(text: string): void }): AccessLog {
  const logger = createLogger('admin', 'info', destination);
  const operatorFields = ({ name: operator, role, tokenId }: Operator) => ({
    log: 'access',
    operator,
    role,
    token_id: tokenId,
  });
  return {
    saw: ({ operator, operationId, shown }) =>
      logger.info(
        { ...operatorFields(operator), operation_id: operationId, shown },
        'personal data was shown',
      ),
    exported: ({ operator, list, shopId }) =>
      logger.info(
        {
          ...operatorFields(operator),
          exported: list,
          ...(shopId !== undefined && { shop_id: shopId }),
        },
        'a list was exported',
      ),
  };
}
