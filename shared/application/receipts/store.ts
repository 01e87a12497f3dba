import { join } from 'node:path';
import { ConfigError, type Config } from '#shared/platform/config/load.ts';
import { createDirectoryStore } from './directory-store.ts';
import type { ErasableReceiptStore } from './receipt-store.ts';
import { createS3Store, type S3Settings } from './s3-store.ts';

/** The key of a payer's receipt. */
export const receiptKey = (operationId: string, receiptId: string): string =>
  `${operationId}/${receiptId}`;

export const receiptContentType = (isPdf: boolean): string =>
  isPdf ? 'application/pdf' : 'application/octet-stream';

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
 * `DATA_DIR/receipts`, or the bucket that RECEIPT_STORE_URL names (docs/merchants/receipts.md).
 * @throws ConfigError if a bucket is named without its access keys
 */
export function createReceiptStore(config: StoreConfig): ErasableReceiptStore {
  const { RECEIPT_STORE_URL: url } = config;
  if (url === undefined) return createDirectoryStore(join(config.DATA_DIR, 'receipts'));
  return createBucketStore(url, config);
}

type BucketConfig = Omit<StoreConfig, 'DATA_DIR' | 'RECEIPT_STORE_URL'>;
type BucketOptions = Pick<S3Settings, 'name' | 'maxPages' | 'timeoutMs'>;

/** The store in a bucket, by its URL. @throws ConfigError without access keys */
export function createBucketStore(
  url: string,
  config: BucketConfig,
  options: BucketOptions = {},
): ErasableReceiptStore {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  const { S3_REGION: region } = config;
  const problems = missingKeys(config).map((name) => `${name} must be set for ${url}`);
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new ConfigError(problems);
  const { hostname: bucket, pathname } = new URL(url);
  return createS3Store({
    bucket,
    prefix: pathname.replace(/^\/+|\/+$/g, ''),
    endpoint: config.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId,
    secretAccessKey,
    ...options,
  });
}

const missingKeys = (config: Partial<BucketConfig>) =>
  (['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const).filter(
    (name) => config[name] === undefined,
  );

/** The variables that a bucket needs and that are not set, one line each. */
export function receiptStoreProblems(
  config: Partial<
    Pick<StoreConfig, 'RECEIPT_STORE_URL' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY'>
  >,
): string[] {
  if (config.RECEIPT_STORE_URL === undefined) return [];
  return missingKeys(config).map((name) => `${name} must be set where RECEIPT_STORE_URL is`);
}
