import type { Kysely } from 'kysely';
import type { ServiceContext } from '#shared/application/define-service.ts';
import type { Directory } from '#shared/application/directory/directory.ts';
import { createReceiptLinks, type ReceiptLinks } from '#shared/application/receipts/links.ts';
import { connectForExports, merchantsExportLimits } from '#shared/application/page-database.ts';
import { connectionsFor, createExports } from '#shared/platform/csv/exports.ts';
import { gatewayUrl } from '#shared/platform/config/gateway-url.ts';
import type { Config } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { findExisting } from '#projections/operations/find-existing.ts';
import { readDayUse } from '#projections/operations/day-use.ts';
import { reasonUnlessAnswered } from '#shared/platform/http/readiness.ts';
import { maxLists } from './endpoints/list/routes.ts';
import { maxPlans } from './endpoints/statements/routes.ts';

/** A merchant waits for it, and will repeat the request. */
const impatient = { statementTimeoutMs: 4_000, silenceMs: 5_000 };
/** Slow lists must not delay the look-ups of a refusal, nor the other way round. */
const forLookups = { maxConnections: 1, ...impatient };
/** One shop's lists hold at most half of them. */
const forLists = { ...impatient, maxConnections: 2 * maxLists.perShop };
const forStatements = { ...impatient, maxConnections: 2 * maxPlans.running };
/** A shop's day is read once at a time, and creates wait for it. */
const forDayUse = { ...impatient, maxConnections: 2 };
/** One merchant's program may request three lists at once. */
const exportLimits = { ...merchantsExportLimits, perHolder: 3, reservedForNew: 5 };

/** The read models: for lists, for exports, and to find operations whose creates are refused. */
export function connectReadModels({
  config: { DATABASE_URL },
  logger,
  onStop,
}: Pick<ServiceContext<never, 'DATABASE_URL'>, 'config' | 'logger' | 'onStop'>) {
  if (DATABASE_URL === undefined) return undefined;
  const connect = (
    applicationName: string,
    options: typeof impatient & { maxConnections: number },
  ): Kysely<unknown> => {
    const db = connectDatabase<unknown>(DATABASE_URL, { applicationName, ...options });
    onStop(() => db.destroy());
    return db;
  };
  const lookups = connect('merchant-api-lookups', forLookups);
  const dayUses = connect('merchant-api-day-use', forDayUse);
  const exportsDb = connectForExports(
    { config: { DATABASE_URL }, onStop },
    { applicationName: 'merchant-api-exports', maxConnections: connectionsFor(exportLimits) },
  );
  return {
    db: connect('merchant-api-lists', forLists),
    statementsDb: connect('merchant-api-statements', forStatements),
    readDayUse: (shopId: string, day: string) => readDayUse(dayUses, { shopId, day }),
    exports: createExports(exportsDb, { logger, limits: exportLimits }),
    find: (operationIds: readonly string[]) =>
      findExisting(lookups, operationIds).catch((error: unknown) => {
        logger.warn({ err: error }, 'repeats could not be distinguished from new creates');
        throw error;
      }),
  };
}

/** Ready: the log can be read, and appends do not fail. */
export function createMerchantReadiness(
  directory: Pick<Directory, 'ready'>,
  failing: () => boolean,
) {
  const unread = reasonUnlessAnswered('the event store', () => directory.ready());
  return async () =>
    (await unread()) ?? (failing() ? 'the event store refuses appends' : undefined);
}

export const connectReceiptLinks = (
  config: Config<'RECEIPT_URL_SECRET' | 'RECEIPT_URL_SECRET_PREVIOUS'>,
): ReceiptLinks =>
  createReceiptLinks({
    baseUrl: gatewayUrl(),
    secret: config.RECEIPT_URL_SECRET,
    previousSecret: config.RECEIPT_URL_SECRET_PREVIOUS,
  });

/** The time of a create besides the wait for its provider. */
const overheadMs = 3_000;
/** Less than a stop may take, so that connections and stores are closed after it. */
const longestDrainMs = 22_000;

/** How long a stop waits for creates in progress: as long as their answer may take, up to 22 s. */
export const drainMsFor = (acceptanceMs: number): number =>
  Math.min(acceptanceMs + overheadMs, longestDrainMs);
