import fc from 'fast-check';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findBackupPlace } from '#infra/backup/open-store.ts';
import { openWriter } from '#infra/backup/writer.ts';
import { segmentName, type BackupStore } from '#infra/backup/segments.ts';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { createBucketStore } from '#shared/application/receipts/store.ts';
import { s3Keys, startS3Server } from '#shared/application/receipts/testing/s3-server.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { createBackupSource } from './source.ts';
import { verifyBackup } from './verify.ts';

const root = folderForFile();
const s3 = forFile(() => startS3Server({ region: 'eu-central-1', bucket: 'copies' }));

const eventAt = (position: number, stream = `operation-${position}`): RawEvent => ({
  position,
  stream,
  revision: 0,
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
  type: 'Tested',
  contentType: 'application/json',
  // One a second.
  createdTicks: String((1_700_000_000_000 + position * 1_000) * 10_000),
  data: Buffer.from(`{"text":"ёжик ${position}"}`),
  metadata: Buffer.from('{"actor":"a"}'),
});
const deletionAt = (position: number, stream: string): RawEvent => ({
  ...eventAt(position, stream),
  type: '$streamDeleted',
  revision: Number('9223372036854775807'),
});

/** Of a folder. */
const lock = { isHeld: () => Promise.resolve(false) };

const segments = 5;
const written = Array.from({ length: segments * 3 }, (_, index) => eventAt(index + 1));

async function write(store: BackupStore, events: readonly RawEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += 3) {
    const [first, ...others] = events.slice(at, at + 3) as [RawEvent, ...RawEvent[]];
    // Anew each time, as after a kill.
    await (await openWriter(store, lock)).write([first, ...others]);
  }
}

async function restored(store: BackupStore, untilMs?: number): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  const source = createBackupSource(store, await verifyBackup(store), untilMs);
  for await (const batch of source.raw.read(0)) events.push(...batch);
  return events;
}

async function makeCopy(): Promise<{ folder: string; store: BackupStore }> {
  const folder = mkdtempSync(join(root, 'copy-'));
  const { store } = findBackupPlace(folder);
  await write(store, written);
  return { folder, store };
}

it('returns what was written, from a folder and from a bucket (R26.1)', async () => {
  const bucket = createBucketStore('s3://copies/some/prefix', {
    S3_ENDPOINT: s3.url,
    S3_REGION: 'eu-central-1',
    S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
  });
  await write(bucket, written);
  expect(await restored(bucket)).toEqual(written);
  expect(await bucket.create(segmentName(1), Buffer.from('x'))).toBe(false);
  expect(await restored((await makeCopy()).store)).toEqual(written);
});

it('names every object that was changed, removed or swapped (R26.3)', async () => {
  const { folder, store } = await makeCopy();
  const path = (sequence: number) => join(folder, segmentName(sequence));
  const one = fc.integer({ min: 1, max: segments });
  await fc.assert(
    fc.asyncProperty(one, fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, where, change) => {
      const original = readFileSync(path(at));
      const bytes = Buffer.from(original);
      const index = where % bytes.length;
      bytes[index] = (bytes[index] ?? 0) ^ change;
      writeFileSync(path(at), bytes);
      await expect(verifyBackup(store)).rejects.toThrow(segmentName(at));
      writeFileSync(path(at), original);
    }),
  );
  for (let at = 1; at < segments; at += 1) {
    renameSync(path(at), join(root, 'removed'));
    await expect(verifyBackup(store)).rejects.toThrow(`${segmentName(at)} is missing`);
    renameSync(join(root, 'removed'), path(at));
  }
  await fc.assert(
    fc.asyncProperty(one, one, async (left, right) => {
      fc.pre(left !== right);
      const [first, second] = [readFileSync(path(left)), readFileSync(path(right))];
      writeFileSync(path(left), second);
      writeFileSync(path(right), first);
      await expect(verifyBackup(store)).rejects.toThrow(
        `${segmentName(Math.min(left, right))} was swapped`,
      );
      writeFileSync(path(left), first);
      writeFileSync(path(right), second);
    }),
  );
  expect(await restored(store)).toEqual(written);
});

it('names an object of another copy (R26.3)', async () => {
  const [one, other] = [await makeCopy(), await makeCopy()];
  const name = segmentName(3);
  writeFileSync(join(one.folder, name), readFileSync(join(other.folder, name)));
  await expect(verifyBackup(one.store)).rejects.toThrow(`${name} does not follow`);
  rmSync(join(one.folder, 'log'), { recursive: true });
  await expect(verifyBackup(one.store)).rejects.toThrow('there is no backup');
});

it('ends at a time, but for keys that were destroyed later (R26.5)', async () => {
  const { store } = findBackupPlace(mkdtempSync(join(root, 'until-')));
  const key = 'personal-key-1';
  const events = [
    eventAt(1),
    eventAt(2, key),
    eventAt(3),
    eventAt(4),
    eventAt(5, 'personal-erasure-1'),
    deletionAt(6, key),
    eventAt(7),
  ];
  await write(store, events);
  const all = await restored(store, 1_700_000_003_000);
  expect(all.map(({ position }) => position)).toEqual([1, 2, 3, 5, 6]);
  const source = createBackupSource(store, await verifyBackup(store));
  expect(await source.isDeleted(key)).toBe(true);
});
