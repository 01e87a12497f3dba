import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql, type Kysely } from 'kysely';
import { borrowStores } from '#infra/stores/borrow-stores.ts';
import { hostsAndDatabase } from '#infra/stores/stores-file.ts';
import { loadConfig } from '#shared/platform/config/load.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { createReceiptStore, receiptStoreVariables } from '#shared/application/receipts/store.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import type { LogIdentity } from '../report/run.ts';
import { createdMs } from '#shared/platform/event-store/reading/raw-event.ts';
import { connectRawLog, type RawLog } from '#shared/platform/event-store/reading/raw-log.ts';

export type AuditedStores = {
  log: RawLog;
  /** The same log through the client that services use. */
  store: EventStore;
  outside: { db: Kysely<unknown>; store: EventStore } | undefined;
  /** The store of uploaded receipts; undefined if it is not known. */
  receipts: Pick<ReceiptStore, 'get'> | undefined;
  identity(): Promise<LogIdentity>;
  close(): Promise<void>;
};

const connectTimeoutMs = 10_000;
/** An audit is not in a hurry, and would have to begin again. */
const patientMs = 60_000;

/**
 * Connects to the stores that the environment names; else to the gateway that runs on DATA_DIR;
 * else starts its stores for the time of the audit. Without a database that is known to belong to
 * the event store, only the log is audited.
 * @throws a one-line error that says which store can't be reached, or that there is none
 */
export async function connectAuditStores({
  logOnly,
}: {
  logOnly: boolean;
}): Promise<AuditedStores> {
  const { DATA_DIR } = loadConfig(['DATA_DIR']);
  // Before the stores start: it throws for settings that are not complete.
  const receipts = logOnly ? undefined : findReceipts(DATA_DIR);
  const borrowed = await borrowStores(DATA_DIR, process.env, { withDatabase: !logOnly });
  try {
    const stores = await connect(borrowed);
    const close = async () => {
      await stores.close();
      await borrowed.release();
    };
    return { ...stores, receipts, close };
  } catch (error) {
    await borrowed.release();
    throw error;
  }
}

/**
 * The bucket that the environment names, else the files in DATA_DIR.
 * @throws ConfigError if a bucket is named without its access keys
 */
function findReceipts(dataDir: string): Pick<ReceiptStore, 'get'> | undefined {
  const config = loadConfig(receiptStoreVariables);
  const isNamed = config.RECEIPT_STORE_URL !== undefined;
  return isNamed || existsSync(join(dataDir, 'receipts')) ? createReceiptStore(config) : undefined;
}

async function connect(urls: {
  eventStoreUrl: string;
  databaseUrl: string | undefined;
}): Promise<Omit<AuditedStores, 'receipts'>> {
  const { EVENT_STORE_URL } = loadConfig(['EVENT_STORE_URL'], {
    EVENT_STORE_URL: urls.eventStoreUrl,
  });
  const log = connectRawLog(EVENT_STORE_URL);
  const store = connectEventStore(EVENT_STORE_URL, { readWithinMs: patientMs });
  let db: Kysely<unknown> | undefined;
  const close = async () => {
    await db?.destroy();
    // A connection that never opened keeps the client waiting: the process ends anyway.
    await within(2_000, Promise.all([log.close(), store.close()])).catch(() => undefined);
  };
  try {
    await within(connectTimeoutMs, log.head()).catch((error: unknown) => {
      throw new Error(
        `the event store can't be reached (${hostsAndDatabase(EVENT_STORE_URL)}): ${errorMessage(error)}`,
      );
    });
    const identity = () => readLogIdentity(log, hostsAndDatabase(EVENT_STORE_URL));
    if (urls.databaseUrl === undefined) return { log, store, identity, outside: undefined, close };
    const { DATABASE_URL } = loadConfig(['DATABASE_URL'], { DATABASE_URL: urls.databaseUrl });
    db = connectDatabase<unknown>(DATABASE_URL, {
      applicationName: 'gateway-audit',
      connectWithinMs: patientMs,
    });
    await sql`select 1`.execute(db).catch((error: unknown) => {
      throw new Error(
        `PostgreSQL can't be reached (${hostsAndDatabase(DATABASE_URL)}): ${errorMessage(error)}; --log-only does without`,
      );
    });
    return { log, store, identity, outside: { db, store }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A log is identified by its host and its first event, which no other log has. */
async function readLogIdentity(log: RawLog, host: string): Promise<LogIdentity> {
  for await (const [first] of log.read(0)) {
    if (first)
      return { host, first: { id: first.id, at: new Date(createdMs(first)).toISOString() } };
  }
  return { host };
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`no answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
