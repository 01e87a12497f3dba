import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { appendMore, copiedFields, readAll, useSource } from '#infra/move/testing/logs.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { createBackupSource } from '#infra/restore/source.ts';
import { verifyBackup } from '#infra/restore/verify.ts';
import { forFile, useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { createBucketStore } from '#shared/application/receipts/store.ts';
import { s3Keys, startS3Server } from '#shared/application/receipts/testing/s3-server.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { backUp, startBackup } from './testing/run-backup.ts';

const s3 = forFile(() => startS3Server({ region: 'eu-central-1', bucket: 'copies' }));
afterEach(() => void (s3.failures.choose = undefined));

const bucketVariables = () => ({
  S3_ENDPOINT: s3.url,
  S3_REGION: 'eu-central-1',
  S3_ACCESS_KEY_ID: s3Keys.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
});

type BackupFile = { complete_at: string };

const isSegment = (method: string, path: string) => method === 'PUT' && path.includes('/log/');

async function readCopy(url: string): Promise<RawEvent[]> {
  const store = createBucketStore(url, bucketVariables());
  const events: RawEvent[] = [];
  for await (const batch of createBackupSource(store, await verifyBackup(store)).raw.read(0))
    events.push(...batch);
  return events;
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'ends with the code of the signal that interrupted it: %s (R26.2)',
  async (signal, code) => {
    const source = await useSource({ operations: 5 });
    const where = { EVENT_STORE_URL: source.url, ...bucketVariables() };
    const to = `s3://copies/${signal}`;
    const [arrived, signalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let tries = 0;
    s3.failures.choose = async (...request) => {
      if (!isSegment(...request)) return undefined;
      arrived.resolve();
      await signalled.promise;
      // The backup takes the signal before it tries again.
      return tries++ === 0 ? { status: 503 } : undefined;
    };
    const backup = startBackup(where, '--to', to, '--once');
    await arrived.promise;
    backup.kill(signal);
    signalled.resolve();
    expect(await backup.ended).toBe(code);
    expect(await backUp(where, '--to', to, '--once')).toMatchObject({ code: 0 });
    const originals = copiedFields(await readAll(source.url), { without: source.destroyed });
    expect(copiedFields(await readCopy(to))).toEqual(originals);
  },
);

it('tries again where a conditional write conflicts, and fails if all do (R26.2)', async () => {
  const source = await useSource({ operations: 5 });
  const where = { EVENT_STORE_URL: source.url, ...bucketVariables() };
  const to = 's3://copies/conflict';
  let conflicts = 0;
  s3.failures.choose = async (...request) => {
    if (!isSegment(...request)) return undefined;
    conflicts += 1;
    return Promise.resolve({ status: 409 });
  };
  const failed = await backUp(where, '--to', to, '--once');
  expect(failed).toMatchObject({ code: 1, output: expect.stringContaining('409') });
  const limit = conflicts * 2 - 1;
  s3.failures.choose = async (...request) =>
    Promise.resolve(isSegment(...request) && ++conflicts <= limit ? { status: 409 } : undefined);
  expect(await backUp(where, '--to', to, '--once')).toMatchObject({ code: 0 });
  expect(conflicts).toBe(limit + 1);
  const originals = copiedFields(await readAll(source.url), { without: source.destroyed });
  expect(copiedFields(await readCopy(to))).toEqual(originals);
});

it('serves metrics and probes while it follows the log (R26.7)', async () => {
  const source = await useSource({ operations: 5 });
  const port = await findFreePort();
  const where = {
    EVENT_STORE_URL: source.url,
    BACKUP_PORT: String(port),
    ...bucketVariables(),
  };
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  s3.failures.choose = async (...request) => {
    if (isSegment(...request)) await held.promise;
    return undefined;
  };
  const backup = startBackup(where, '--to', 's3://copies/metrics');
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const status = async () => (await get('/readyz').catch(() => undefined))?.status;

  await eventually('it serves', async () => (await status()) !== undefined);
  expect(await status()).toBe(503);
  held.resolve();
  await eventually('it is ready', async () => (await status()) === 204);
  const events = (await readCopy('s3://copies/metrics')).length;
  const text = await (await get('/metrics')).text();
  expect(text).toContain(`gateway_backup_events{service="backup"} ${events}\n`);
  expect(text).toMatch(/^gateway_backup_age_seconds\{service="backup"\} \d/m);
  backup.kill('SIGTERM');
  expect(await backup.ended).toBe(0);
});

it('continues the age of the copy after a restart, also while the log does not answer (R26.7)', async () => {
  const source = await useSource({ operations: 5 });
  const [dataDir, to] = [useTempFolder(), 's3://copies/age'];
  const where = { DATA_DIR: dataDir, ...bucketVariables() };
  const copied = await backUp({ ...where, EVENT_STORE_URL: source.url }, '--to', to, '--once');
  expect(copied).toMatchObject({ code: 0 });
  const file = join(dataDir, 'backup.json');
  const { complete_at: at, ...others } = JSON.parse(readFileSync(file, 'utf8')) as BackupFile;
  const earlier = new Date(Date.parse(at) - 3_600_000).toISOString();
  writeFileSync(file, JSON.stringify({ ...others, complete_at: earlier }));

  const port = await findFreePort();
  const gone = `esdb://127.0.0.1:${await findFreePort()}?tls=false`;
  const follower = { ...where, EVENT_STORE_URL: gone, BACKUP_PORT: String(port) };
  const backup = startBackup(follower, '--to', to);
  const metric = async (name: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    const text = (await answer?.text()) ?? '';
    return Number(new RegExp(`^gateway_backup_${name}{.*} (.*)$`, 'm').exec(text)?.[1]);
  };
  await eventually('it has read its target', async () => (await metric('events')) > 0);
  expect(await metric('age_seconds')).toBeGreaterThanOrEqual(3_600);
  backup.kill('SIGTERM');
  expect(await backup.ended).toBe(0);
});

it('adds nothing to a copy whose end is damaged, and ends with 4 (R26.2)', async () => {
  const source = await useSource({ operations: 5 });
  const where = { EVENT_STORE_URL: source.url, ...bucketVariables() };
  const to = 's3://copies/damaged';
  expect(await backUp(where, '--to', to, '--once')).toMatchObject({ code: 0 });
  const [path = ''] = [...s3.objects.keys()]
    .filter((key) => key.includes('/damaged/log/'))
    .toSorted()
    .slice(-1);
  s3.objects.set(path, Buffer.from('x'));
  await appendMore(source.store, 1);
  const damaged = { code: 4, output: expect.stringContaining('is damaged') };
  expect(await backUp(where, '--to', to, '--once')).toMatchObject(damaged);
  expect(await backUp(where, '--to', to)).toMatchObject(damaged);
});

it('begins to follow once its target answers, and continues after a write that came late (R26.2)', async () => {
  const source = await useSource({ operations: 5 });
  const to = 's3://copies/late';
  const late = Promise.withResolvers<void>();
  let [requests, writes] = [0, 0];
  s3.failures.choose = async (...request) => {
    requests += 1;
    if (requests <= 6) return Promise.resolve({ status: 503 });
    if (!isSegment(...request)) return undefined;
    writes += 1;
    // All three tries of the first write are lost, and take effect before the next one.
    if (writes <= 3) return { effectAfter: late.promise };
    late.resolve();
    await late.promise;
    return undefined;
  };
  const where = { EVENT_STORE_URL: source.url, ...bucketVariables() };
  const backup = startBackup(where, '--to', to);
  const follows = () => backup.output().includes('Following');
  await eventually('it follows', follows);
  expect(writes).toBeGreaterThan(3);
  backup.kill('SIGTERM');
  expect(await backup.ended).toBe(0);
  const originals = copiedFields(await readAll(source.url), { without: source.destroyed });
  expect(copiedFields(await readCopy(to))).toEqual(originals);
});

it('is refused while another backup follows the log into the same bucket (R26.2)', async () => {
  const source = await useSource({ operations: 5 });
  const where = { EVENT_STORE_URL: source.url, ...bucketVariables() };
  const backup = startBackup(where, '--to', 's3://copies/shared');
  await eventually('it follows', () => backup.output().includes('Following'));
  const second = await backUp(where, '--to', 's3://copies/shared', '--once');
  expect(second).toMatchObject({ code: 3, output: expect.stringContaining('Another backup') });
  backup.kill('SIGTERM');
  expect(await backup.ended).toBe(0);
  expect(await backUp(where, '--to', 's3://copies/shared', '--once')).toMatchObject({ code: 0 });
});

it('loses and repeats nothing when it is killed at random moments (R26.1, R26.2)', async () => {
  const rounds = process.env['THOROUGH'] === '1' ? 20 : 4;
  const source = await useSource({ operations: 5 });
  const random = createRandom(11);
  const to = 's3://copies/killed';
  const where = { EVENT_STORE_URL: source.url, ...bucketVariables() };
  const late = new Set<PromiseWithResolvers<void>>();
  const settle = () => {
    for (const { resolve } of late) resolve();
    late.clear();
  };
  for (let round = 0; round < rounds; round += 1) {
    const [killed, killAt] = [Promise.withResolvers<void>(), 1 + random.below(12)];
    let requests = 0;
    const backup = startBackup(where, '--to', to);
    s3.failures.choose = async (method, path) => {
      requests += 1;
      if (requests === killAt) {
        backup.kill('SIGKILL');
        killed.resolve();
        // A write of the killed process may still take effect, while the next one runs.
        if (isSegment(method, path)) {
          const effect = Promise.withResolvers<void>();
          late.add(effect);
          return { effectAfter: effect.promise };
        }
      }
      if (random.chance(0.1)) settle();
      return Promise.resolve(random.chance(0.1) ? { status: 503 } : undefined);
    };
    await appendMore(source.store, 1 + random.below(5));
    await Promise.race([killed.promise, backup.ended]);
    backup.kill('SIGKILL');
    expect(await backup.ended).toBeNull();
  }
  s3.failures.choose = undefined;
  settle();
  expect(await backUp(where, '--to', to, '--once')).toMatchObject({ code: 0 });
  const originals = copiedFields(await readAll(source.url), { without: source.destroyed });
  expect(copiedFields(await readCopy(to))).toEqual(originals);
});

it('warns once of each reason, also if the message has the time of each attempt', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const where = { EVENT_STORE_URL: `esdb://127.0.0.1:${port}?tls=false` };
  const backup = startBackup(where, '--to', useTempFolder());
  await eventually('it tried several times', () => connections >= 8);
  backup.kill('SIGTERM');
  await backup.ended;
  const warnings = backup.output().match(/^.*trying again/gm) ?? [];
  const reasons = new Set(warnings.map((each) => each.replaceAll(/\(\d{4}-.*Z\)/g, '')));
  expect(warnings.length).toBeGreaterThan(0);
  expect(warnings).toHaveLength(reasons.size);
});
