import { createLogger } from '#shared/platform/logging/logger.ts';

/** The part of an operation that was shown, with its personal data unless erased. */
export type DisclosedPart = 'operation' | 'events' | 'receipt';

/** The lists that merchants can export as files. */
export type MerchantList = 'operations' | 'journal' | 'balances' | 'webhook-deliveries';
/** The lists that operators can. */
export type ExportedList = MerchantList | 'activity' | 'statements' | 'statement-findings';

/** An operation, rows of a file of payouts by their numbers, or the names of such files. */
type Access =
  | { operationId: string; shown: DisclosedPart }
  | { batchId: string; rows: readonly number[] }
  | { namedFiles: readonly string[] };

/** What the access log names that was shown. */
export type Disclosure = DisclosedPart | 'payout_rows' | 'payout_file_names';

export type AccessLog<Reader> = {
  saw(reader: Reader, access: Access): void;
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
    saw: (reader, access) =>
      logger.info(
        { log: 'access', ...fieldsOf(reader), ...accessFields(access) },
        'personal data was shown',
      ),
    exported: (reader, { list: exported, shopId: shop_id }) =>
      logger.info(
        { log: 'access', ...fieldsOf(reader), exported, ...(shop_id !== undefined && { shop_id }) },
        'a list was exported',
      ),
  };
}

/** A page or an action; `discloses` has the personal data that it may show. */
type DisclosureEntry = { path: string; discloses?: readonly Disclosure[] };

/** The site as one entry uses it: what the entry does not name, it can't show. */
export const restrictDisclosure = <S extends { accessLog: AccessLog<never> }>(
  site: S,
  { path, discloses = [] }: DisclosureEntry,
): S => {
  const { accessLog } = site;
  const saw: typeof accessLog.saw = (reader, access) => {
    const { shown } = accessFields(access);
    if (!discloses.includes(shown)) throw new Error(`${path} shows ${shown} without naming it`);
    accessLog.saw(reader, access);
  };
  return { ...site, accessLog: { ...accessLog, saw } };
};

function accessFields(access: Access): Readonly<Record<string, unknown>> & { shown: Disclosure } {
  if ('namedFiles' in access) return { batch_ids: access.namedFiles, shown: 'payout_file_names' };
  return 'batchId' in access
    ? { batch_id: access.batchId, shown: 'payout_rows', rows: access.rows }
    : { operation_id: access.operationId, shown: access.shown };
}
