import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { createDirectoryStore } from '#shared/application/receipts/directory-store.ts';
import { createBucketStore } from '#shared/application/receipts/store.ts';
import { ConfigError, loadConfig } from '#shared/platform/config/load.ts';
import { makeFolder } from '#shared/platform/make-folder.ts';
import { acquireLock } from '#infra/stores/lock.ts';
import { acquireLease, type BackupLock } from './lease.ts';
import { BackupRefusal } from './refusal.ts';
import type { BackupStore } from './segments.ts';

/** A folder or a bucket that holds one copy. */
export type BackupPlace = {
  /** The folder's whole path, or the URL of the bucket. */
  name: string;
  /** How soon after an append the copy has it: the pause between two reads of the log. */
  pollMs: number;
  /** Creates what is missing. @throws BackupRefusal if the folder holds something else */
  prepare(): void;
  store: BackupStore;
  /** @throws BackupRefusal while another backup writes there */
  lock(): Promise<BackupLock>;
};

const namesInFolder: ReadonlySet<string> = new Set(['log', 'lost+found']);

/** @throws ConfigError if it is neither a folder nor a bucket that can be used */
export function findBackupPlace(text: string): BackupPlace {
  if (/^s3:/i.test(text)) return findBucket(text);
  if (/^[a-z][a-z0-9+]*:\/\//i.test(text))
    throw new ConfigError([`${text.split('://')[0]}://… is neither a folder nor s3://<bucket>`]);
  return findFolder(resolve(text));
}

function findFolder(path: string): BackupPlace {
  return {
    name: path,
    pollMs: 200,
    store: createDirectoryStore(path),
    prepare: () => {
      if (existsSync(path)) {
        const foreign = readdirSync(path).find((name) => !namesInFolder.has(name));
        if (foreign !== undefined)
          throw new BackupRefusal(`${path} holds ${foreign}, which is no part of a backup.`);
      }
      makeFolder(path);
    },
    lock: async () => {
      const lock = await acquireLock(path);
      if (lock === undefined) throw new BackupRefusal(`Another backup writes to ${path}.`);
      // No write of an ended process arrives later: who else wrote there is on another machine.
      return { ...lock, isHeld: () => Promise.resolve(false) };
    },
  };
}

export const bucketVariables = [
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const;

function findBucket(text: string): BackupPlace {
  const { RECEIPT_STORE_URL: url } = loadConfig(['RECEIPT_STORE_URL'], { RECEIPT_STORE_URL: text });
  const config = loadConfig([...bucketVariables]);
  const name = url ?? '';
  const store = createBucketStore(name, config, {
    name: 'backup target',
    maxPages: 100_000,
    timeoutMs: 15_000,
  });
  const holder = randomUUID();
  const lock = () => acquireLease(store, holder);
  return { name, pollMs: 2_000, store, prepare: () => undefined, lock };
}
