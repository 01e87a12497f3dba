import { createLogger } from '#shared/platform/logging/logger.ts';

/** The part of an operation that was shown, with its personal data unless erased. */
export type Shown = 'operation' | 'events' | 'receipt';

/** The lists that merchants can export as files. */
export type MerchantList = 'operations' | 'journal' | 'balances' | 'webhook-deliveries';
/** The lists that operators can. */
export type ExportedList = MerchantList | 'activity' | 'statements' | 'statement-findings';

export type AccessLog<Reader> = {
  saw(reader: Reader, access: { operationId: string; shown: Shown }): void;
  /** `shopId`: if the list is of one shop, and the reader is not. */
  exported(
    reader: Reader,
    exported: { list: ExportedList | 'statement'; shopId?: string | undefined },
  ): void;
};

/**
 * Logs to stdout which reader viewed which operation's personal data or exported a list, at any
 * LOG_LEVEL, so that every access can be determined. The data itself is not logged.
 */
export function createAccessLog<Reader>(
  service: string,
  fieldsOf: (reader: Reader) => Readonly<Record<string, string>>,
  destination?: { write(text: string): void },
): AccessLog<Reader> {
  const logger = createLogger(service, 'info', destination);
  return {
    saw: (reader, { operationId: operation_id, shown }) =>
      logger.info(
        { log: 'access', ...fieldsOf(reader), operation_id, shown },
        'personal data was shown',
      ),
    exported: (reader, { list: exported, shopId: shop_id }) =>
      logger.info(
        { log: 'access', ...fieldsOf(reader), exported, ...(shop_id !== undefined && { shop_id }) },
        'a list was exported',
      ),
  };
}
