import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { ConfigError, loadConfig } from '#shared/platform/config/load.ts';
import type { ErasableReceiptStore } from './receipt-store.ts';
import { createReceiptStore, receiptKey, receiptStoreVariables } from './store.ts';
import { s3Keys, startS3Server } from './testing/s3-server.ts';

const folder = folderForFile();
const s3 = forFile(() => startS3Server({ region: 'eu-central-1', bucket: 'receipts-test' }));

const storeOf = (env: Record<string, string>) =>
  createReceiptStore(loadConfig([...receiptStoreVariables], env));
const directory = (dataDir = join(folder, 'data')) => storeOf({ DATA_DIR: dataDir });
const bucket = (change: Record<string, string> = {}) =>
  storeOf({
    RECEIPT_STORE_URL: 's3://receipts-test/some/folder/',
    S3_ENDPOINT: `${s3.url}/`,
    S3_REGION: 'eu-central-1',
    S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    ...change,
  });
const newKey = () => receiptKey(randomUUID(), randomUUID());
async function collect(names: AsyncIterable<string>): Promise<string[]> {
  const collected: string[] = [];
  for await (const name of names) collected.push(name);
  return collected;
}
const bytesOf = (content: Uint8Array | undefined) => content && Buffer.from(content);

describe.each([
  ['a folder', () => directory()],
  ['a bucket', () => bucket()],
])('a store in %s', (_, open) => {
  let store: ErasableReceiptStore;
  beforeEach(() => (store = open()));

  it('stores bytes by key, across restarts', async () => {
    const [one, other] = [newKey(), newKey()];
    const [small, large] = [randomBytes(10), randomBytes(10 * 1024 * 1024)];
    await store.put(one, small);
    await store.put(other, large);
    expect(bytesOf(await open().get(one))?.equals(small)).toBe(true);
    expect(bytesOf(await open().get(other))?.equals(large)).toBe(true);
  });

  it('reads no more of a file than is wanted', async () => {
    const [key, content] = [newKey(), randomBytes(1_000)];
    await store.put(key, content);
    expect(bytesOf(await store.get(key, 11))).toEqual(content.subarray(0, 11));
    expect(bytesOf(await store.get(key, 1_001))).toEqual(content);
    const empty = newKey();
    await store.put(empty, Buffer.alloc(0));
    expect(await store.get(empty, 11)).toHaveLength(0);
    expect(await store.get(newKey(), 11)).toBeUndefined();
  });

  it('returns nothing for an unused key', async () => {
    expect(await store.get(newKey())).toBeUndefined();
  });

  it('lists and deletes all files of an operation, and no others', async () => {
    const [operationId, other] = [randomUUID(), newKey()];
    const keys = Array.from({ length: 5 }, () => receiptKey(operationId, randomUUID()));
    const storedAfterMs = Date.now();
    for (const key of [...keys, other]) await store.put(key, Buffer.from('x'));
    const names = keys.map((key) => key.slice(operationId.length + 1));
    const listed = await store.list(operationId);
    expect(listed.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    // File systems and the bucket may cut off a part of a second.
    for (const { storedAtMs } of listed) expect(storedAtMs).toBeGreaterThan(storedAfterMs - 2_000);
    const streamed = await collect(store.names(operationId));
    expect(streamed.toSorted()).toEqual(names.toSorted());
    const [, second = '', ...rest] = names.toSorted();
    const after = await collect(store.names(operationId, second));
    expect(after.toSorted()).toEqual(rest);
    const [first] = listed;
    const firstKey = `${operationId}/${first?.name}`;
    expect(await store.storedAtMs(firstKey)).toBe(first?.storedAtMs);
    expect(await store.storedAtMs(firstKey.slice(0, -1))).toBeUndefined();
    expect(await store.removeAll(operationId)).toBe(5);
    for (const key of keys) expect(await open().get(key)).toBeUndefined();
    expect(await store.get(other)).toBeDefined();
    expect(await store.removeAll(operationId)).toBe(0);
    expect(await store.list(operationId)).toEqual([]);
    expect(await collect(store.names(operationId))).toEqual([]);
  });

  it('creates a file once, and confirms it to a repeated call', async () => {
    const key = newKey();
    expect(await store.create(key, Buffer.from('x'))).toBe(true);
    expect(await store.create(key, Buffer.from('y'))).toBe(false);
    // The answer to the first call may have been lost.
    expect(await store.create(key, Buffer.from('x'))).toBe(true);
    expect(bytesOf(await store.get(key))?.toString('utf8')).toBe('x');
  });

  it('deletes one file; a repeated delete changes nothing', async () => {
    const [one, other] = [newKey(), newKey()];
    await store.put(one, Buffer.from('x'));
    await store.put(other, Buffer.from('y'));
    await store.remove(one);
    await store.remove(one);
    await store.remove(newKey());
    expect(await open().get(one)).toBeUndefined();
    expect(bytesOf(await open().get(other))?.toString()).toBe('y');
  });

  it('accepts concurrent writes of the same file', async () => {
    const key = newKey();
    const content = randomBytes(100_000);
    await Promise.all(Array.from({ length: 8 }, () => store.put(key, content)));
    expect(bytesOf(await store.get(key))?.equals(content)).toBe(true);
  });
});

describe('a folder', () => {
  it('contains no temporary file after a write', async () => {
    const data = join(folder, 'whole');
    const [operationId, receiptId] = [randomUUID(), randomUUID()];
    await directory(data).put(receiptKey(operationId, receiptId), randomBytes(10));
    expect(readdirSync(join(data, 'receipts', operationId))).toEqual([receiptId]);
  });

  it('reports a failed write and leaves no partial file', async () => {
    const data = join(folder, 'broken');
    mkdirSync(data);
    writeFileSync(join(data, 'receipts'), 'a file where the folder should be');
    await expect(directory(data).put(newKey(), randomBytes(10))).rejects.toThrow('ENOTDIR');
    const blocked = join(folder, 'blocked');
    const [operationId, receiptId] = [randomUUID(), randomUUID()];
    mkdirSync(join(blocked, 'receipts', operationId, receiptId), { recursive: true });
    await expect(
      directory(blocked).put(receiptKey(operationId, receiptId), randomBytes(10)),
    ).rejects.toThrow('EISDIR');
    expect(readdirSync(join(blocked, 'receipts', operationId))).toEqual([receiptId]);
  });

  it.each(['../outside', 'a/../../b', '/etc/passwd', '', 'a//b', 'a/b.new'])(
    'rejects the key %j',
    async (key) => {
      await expect(directory().put(key, randomBytes(1))).rejects.toThrow('not a key');
    },
  );
});

describe('a bucket', () => {
  it('stores objects under the prefix, with path-style addressing', async () => {
    await bucket().put('a/b', Buffer.from('x'));
    expect(s3.objects.get('/receipts-test/some/folder/a/b')?.toString()).toBe('x');
    await bucket({ RECEIPT_STORE_URL: 's3://receipts-test' }).put('a/b', Buffer.from('y'));
    expect(s3.objects.get('/receipts-test/a/b')?.toString()).toBe('y');
  });

  it.each([
    ['a wrong secret', { S3_SECRET_ACCESS_KEY: 'not-the-secret' }, 'SignatureDoesNotMatch'],
    ['a wrong key', { S3_ACCESS_KEY_ID: 'SOMEBODY' }, 'InvalidAccessKeyId'],
    ['a wrong region', { S3_REGION: 'eu-west-1' }, 'AuthorizationHeaderMalformed'],
    ['a missing bucket', { RECEIPT_STORE_URL: 's3://no-such-bucket' }, 'NoSuchBucket'],
  ])('throws for %s', async (_, change, code) => {
    await expect(bucket(change).put('a/b', Buffer.from('x'))).rejects.toThrow(code);
    await expect(bucket(change).get('a/c')).rejects.toThrow(code);
  });

  it('gets three attempts at most per request', async () => {
    s3.failures.unavailable = 1;
    s3.failures.dropped = 1;
    await bucket().put('again', Buffer.from('x'));
    s3.failures.dropped = 1;
    expect(await bucket().get('never')).toBeUndefined();
    s3.failures.unavailable = 100;
    await expect(bucket().put('a/b', Buffer.from('x'))).rejects.toThrow('503 SlowDown');
    expect(s3.failures.unavailable).toBe(97);
    s3.failures.unavailable = 0;
  });

  it('requires credentials, and names the missing ones', () => {
    expect(() => storeOf({ RECEIPT_STORE_URL: 's3://receipts-test' })).toThrow(ConfigError);
    expect(() => storeOf({ RECEIPT_STORE_URL: 's3://receipts-test' })).toThrow(
      /S3_ACCESS_KEY_ID must be set[^]*S3_SECRET_ACCESS_KEY must be set/,
    );
    expect(() => storeOf({ RECEIPT_STORE_URL: 'file:///tmp' })).toThrow(/RECEIPT_STORE_URL/);
  });
});
