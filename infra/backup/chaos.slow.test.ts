import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CopyCursor } from '#infra/move/cursor.ts';
import { createBackupSource } from '#infra/restore/source.ts';
import { verifyBackup } from '#infra/restore/verify.ts';
import { folderForFile, forFile } from '#infra/verify/harness/tests/for-file.ts';
import { createRandom, type Random } from '#infra/verify/harness/tests/random.ts';
import { createDirectoryStore } from '#shared/application/receipts/directory-store.ts';
import { createBucketStore } from '#shared/application/receipts/store.ts';
import {
  s3Keys,
  startS3Server,
  type S3Fault,
} from '#shared/application/receipts/testing/s3-server.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { copyAvailable } from './copy-log.ts';
import { BackupRefusal } from './refusal.ts';
import { requireSameLog } from './same-log.ts';
import { BackupDamage } from './segment.ts';
import { countSegments, segmentName, type BackupStore } from './segments.ts';
import { openWriter } from './writer.ts';

// What a follower does, attempt by attempt, while its stores fail at random moments. An attempt
// that fails leaves no state but that of the target, as after a kill. Processes are killed in
// bucket.conformance.test.ts.

const thorough = process.env['THOROUGH'] === '1';
const root = folderForFile();
const s3 = forFile(() => startS3Server({ region: 'eu-central-1', bucket: 'copies' }));

type TestLog = ReturnType<typeof createLog>;

/** A log that grows, and whose reads fail with this probability until it is mended. */
function createLog(random: Random, probability: number) {
  let failing = probability;
  const events: RawEvent[] = [];
  const grow = (count: number) => {
    for (let each = 0; each < count; each += 1) {
      // Positions have gaps, as those of an EventStoreDB.
      const position = (events.at(-1)?.position ?? 0) + 1 + random.below(3);
      const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
      const stream = `operation-${random.below(5)}`;
      const createdTicks = String((1_700_000_000_000 + position) * 10_000);
      const [data, metadata] = [Buffer.from(`{"n":${position}}`), Buffer.from('{}')];
      const contentType = 'application/json';
      events.push({
        position,
        stream,
        revision: each,
        id,
        type: 'T',
        contentType,
        createdTicks,
        data,
        metadata,
      });
    }
  };
  const fail = () => {
    if (random.chance(failing)) throw new Error('the event store is unavailable');
  };
  const raw = {
    read: async function* (after: number) {
      const rest = events.filter(({ position }) => position > after);
      for (let at = 0; at < rest.length; at += 7) {
        fail();
        yield await Promise.resolve(rest.slice(at, at + 7));
      }
    },
    head: () => Promise.resolve(events.at(-1)?.position ?? 0),
    at: (position: number) => Promise.resolve(events.find((each) => each.position === position)),
    close: () => Promise.resolve(),
  };
  const mend = () => void (failing = 0);
  return { events, grow, mend, source: { raw, isDeleted: () => Promise.resolve(false) } };
}

/** Copies what the log has, as one attempt of a follower does. */
async function attempt({ source }: TestLog, store: BackupStore, isHeld: boolean): Promise<void> {
  const lock = { isHeld: () => Promise.resolve(isHeld) };
  const writer = await openWriter(store, lock);
  await requireSameLog(source as never, store, writer.last()?.header.sequence ?? 0);
  const cursor = new CopyCursor(source.raw, writer.totals().position);
  const { signal } = new AbortController();
  const until = await source.raw.head();
  await copyAvailable(source, { cursor, writer }, { signal, until, holdMs: 0 });
}

async function readCopy(store: BackupStore): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  if ((await countSegments(store)) === 0) return events;
  for await (const batch of createBackupSource(store, await verifyBackup(store)).raw.read(0))
    events.push(...batch);
  return events;
}

/** The copy is the beginning of the log. */
async function expectPrefix({ events }: TestLog, store: BackupStore): Promise<number> {
  const copied = await readCopy(store);
  expect(copied).toEqual(events.slice(0, copied.length));
  return copied.length;
}

type Writes = { store: BackupStore; settle(): Promise<void> };

/** Fails writes before or after they have taken effect, or before it: as a full disk, or a kill. */
function failWrites(store: BackupStore, random: Random, late: boolean): Writes {
  const pending: (() => Promise<unknown>)[] = [];
  const settle = async () => {
    for (const each of pending.splice(0)) await each();
  };
  const create: BackupStore['create'] = async (key, content) => {
    const fate = random.below(6);
    if (fate === 0) throw new Error('ENOSPC: no space left on device');
    if (fate === 1 && late) {
      pending.push(() => store.create(key, content));
      throw new Error('no answer');
    }
    // What is late may arrive at any moment.
    if (random.chance(0.3)) await settle();
    const created = await store.create(key, content);
    if (fate === 2) throw new Error('EIO: the folder could not be written through');
    return created;
  };
  return { store: { ...store, create }, settle };
}

const refusedOr = (error: unknown) =>
  error instanceof BackupRefusal || error instanceof BackupDamage;

it('loses and repeats nothing, whatever fails, is killed or is written late (R26.2, R26.3)', async () => {
  const seeds = thorough ? 300 : 40;
  let [attempts, failed] = [0, 0];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = createRandom(seed);
    const log = createLog(random, 0.05);
    const folder = createDirectoryStore(mkdtempSync(join(root, 'chaos-')));
    const { store, settle } = failWrites(folder, random, true);
    let copied = 0;
    for (let round = 0; round < 12; round += 1) {
      log.grow(random.below(30));
      attempts += 1;
      await attempt(log, store, true).catch((error: unknown) => {
        if (refusedOr(error)) throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
        failed += 1;
      });
      if (random.chance(0.3)) await settle();
      const now = await expectPrefix(log, folder);
      expect(now).toBeGreaterThanOrEqual(copied);
      copied = now;
    }
    await settle();
    log.mend();
    await attempt(log, folder, true);
    expect(await expectPrefix(log, folder)).toBe(log.events.length);
  }
  expect(failed).toBeGreaterThan(attempts / 5);
});

it('is a copy of the log whichever of two backups writes, and refuses the one without the lock (R26.2)', async () => {
  const seeds = thorough ? 300 : 40;
  let [refused, taken] = [0, 0];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = createRandom(seed);
    const log = createLog(random, 0);
    const store = createDirectoryStore(mkdtempSync(join(root, 'two-')));
    for (let round = 0; round < 6; round += 1) {
      log.grow(1 + random.below(30));
      // One may have the lock, or both have lost it.
      const held = [random.chance(0.5), false];
      const both = held.map((isHeld) => attempt(log, store, isHeld));
      for (const [index, result] of (await Promise.allSettled(both)).entries()) {
        if (result.status === 'fulfilled') continue;
        expect(result.reason instanceof BackupRefusal).toBe(!held[index]);
        if (held[index]) taken += 1;
        else refused += 1;
      }
      expect(await expectPrefix(log, store)).toBe(log.events.length);
    }
  }
  expect(refused).toBeGreaterThan(seeds);
  expect(taken).toBeGreaterThan(0);
});

it('adds nothing to a target whose end was changed, and names what was (R26.3)', async () => {
  const seeds = thorough ? 300 : 40;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = createRandom(seed);
    const log = createLog(random, 0);
    const store = createDirectoryStore(mkdtempSync(join(root, 'changed-')));
    for (let round = 0; round < 4; round += 1) {
      log.grow(1 + random.below(30));
      await attempt(log, store, true);
    }
    const count = await countSegments(store);
    const at = 1 + random.below(count);
    const name = segmentName(at);
    const bytes = Buffer.from((await store.get(name)) ?? []);
    if (random.chance(0.5)) {
      const where = random.below(bytes.length);
      bytes[where] = (bytes[where] ?? 0) ^ (1 + random.below(255));
      await store.put(name, bytes);
    } else await store.remove(name);
    log.grow(5);
    const isGone = (await store.get(name)) === undefined;
    // What a follower reads again is the end; a removed end is copied once more, and an object
    // that is missing before it is noticed where the search for the end meets it.
    const outcome = await attempt(log, store, true).catch((error: unknown) => error);
    const isNoticed = at === count ? !isGone : isGone && outcome instanceof BackupDamage;
    expect(outcome === undefined).toBe(!isNoticed);
    expect(outcome instanceof BackupDamage).toBe(isNoticed);
    const isMended = (await store.get(name)) !== undefined;
    expect(isMended).toBe(!isGone || at === count);
    const found = await expectPrefix(log, store).then(
      (copied) => (copied === log.events.length ? 'the whole log' : 'a part'),
      (error: Error) => error.message,
    );
    expect(found).toContain(isGone && at === count ? 'the whole log' : name);
  }
});

it('copies into a bucket that refuses, answers late or loses connections (R26.2)', async () => {
  const rounds = thorough ? 100 : 25;
  const random = createRandom(7);
  const log = createLog(random, 0.02);
  const store = createBucketStore(
    's3://copies/chaos',
    {
      S3_ENDPOINT: s3.url,
      S3_REGION: 'eu-central-1',
      S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    },
    { name: 'backup target', timeoutMs: 15_000 },
  );
  let late: PromiseWithResolvers<void>[] = [];
  const settle = () => {
    for (const { resolve } of late) resolve();
    late = [];
  };
  const lateFault = (): S3Fault => {
    const effect = Promise.withResolvers<void>();
    late.push(effect);
    return { effectAfter: effect.promise };
  };
  const faults: readonly [() => S3Fault, ...(() => S3Fault)[]] = [
    () => ({ status: 500 }),
    () => ({ status: 503 }),
    () => ({ status: 409 }),
    () => ({ lost: 'request' }),
    () => ({ lost: 'answer' }),
    () => ({ cut: true }),
    lateFault,
  ];
  let injected = 0;
  const choose = (): Promise<S3Fault | undefined> => {
    if (random.chance(0.2)) settle();
    if (!random.chance(0.45)) return Promise.resolve(undefined);
    injected += 1;
    return Promise.resolve(random.pick(faults)());
  };
  let [copied, failed] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    log.grow(1 + random.below(30));
    s3.failures.choose = choose;
    await attempt(log, store, true).catch((error: unknown) => {
      if (refusedOr(error)) throw error;
      failed += 1;
    });
    s3.failures.choose = undefined;
    const now = await expectPrefix(log, store);
    expect(now).toBeGreaterThanOrEqual(copied);
    copied = now;
  }
  settle();
  log.mend();
  await attempt(log, store, true);
  expect(await expectPrefix(log, store)).toBe(log.events.length);
  expect(injected).toBeGreaterThan(rounds);
  expect(failed).toBeGreaterThan(0);
});
