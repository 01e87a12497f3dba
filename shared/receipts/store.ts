import { join } from 'node:path';
import { ConfigError, type Config } from '#shared/config/load.ts';
import { createDirectoryStore } from './directory-store.ts';
import { createS3Store } from './s3-store.ts';

/** Where the files are that payers upload. */
export type ReceiptStore = {
  /**
   * Keeps the bytes under the key: once it resolves they survive whatever becomes of this process. A repeat is the
   * same. @throws when they could not be kept
   */
  put(key: string, content: Uint8Array): Promise<void>;
  /** The bytes; nothing where none were kept. @throws when that can't be said */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Deletes what is kept under the key, or does nothing where nothing is. @throws when it is not known to be gone */
  remove(key: string): Promise<void>;
};

/** A store that also forgets all of an operation: for an erasure (docs/personal-data.md). */
export type ErasableReceiptStore = ReceiptStore & {
  /**
   * Deletes whatever was ever put for the operation, also what no event tells of. @returns how many files that was.
   * @throws when they are not known to be gone
   */
  removeAll(operationId: string): Promise<number>;
};

/** The key of a payer's receipt. */
export const receiptKey = (operationId: string, receiptId: string): string => `${operationId}/${receiptId}`;

/** The variables that `createReceiptStore` needs. */
export const receiptStoreVariables = [
  'DATA_DIR',
  'RECEIPT_STORE_URL',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const;
type StoreConfig = Config<(typeof receiptStoreVariables)[number]>;

/**
 * `DATA_DIR/receipts`, or the bucket that RECEIPT_STORE_URL names (docs/receipts.md).
 * @throws ConfigError when a bucket is named without the keys to it
 */
export function createReceiptStore(config: StoreConfig): ErasableReceiptStore {
  const { RECEIPT_STORE_URL: url, S3_ACCESS_KEY_ID: accessKeyId } = config;
  const { S3_SECRET_ACCESS_KEY: secretAccessKey, S3_REGION: region } = config;
  if (url === undefined) return createDirectoryStore(join(config.DATA_DIR, 'receipts'));
  const problems = receiptStoreProblems(config);
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new ConfigError(problems);
  const { hostname: bucket, pathname } = new URL(url);
  return createS3Store({
    bucket,
    prefix: pathname.replace(/^\/+|\/+$/g, ''),
    endpoint: config.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId,
    secretAccessKey,
  });
}

/** What is missing between the variables, one line each. */
export function receiptStoreProblems(
  config: Partial<Pick<StoreConfig, 'RECEIPT_STORE_URL' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY'>>,
): string[] {
  if (config.RECEIPT_STORE_URL === undefined) return [];
  return (['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
    .filter((name) => config[name] === undefined)
    .map((name) => `${name} must be set where RECEIPT_STORE_URL is`);
}
