import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backUp, restoreBackup, startBackup } from '#infra/backup/testing/run-backup.ts';
import {
  appendMore,
  copiedFields,
  readAll,
  useSource,
  useTarget,
} from '#infra/move/testing/logs.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { startNodeProcess } from '#infra/verify/harness/stores/event-store-process.ts';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { fingerprint, signCheckpoint } from '#services/audit/log/chain/checkpoint.ts';
import { createChain } from '#shared/application/log/chain.ts';
import { isPermanent } from '#shared/domain/log/retention.ts';

it('restores every event as it was, except destroyed keys, and once only (R26.1, R26.4)', async () => {
  const source = await useSource();
  const [to, target] = [join(useTempFolder(), 'copy'), await useTarget()];
  const where = { EVENT_STORE_URL: source.url };
  const made = await backUp(where, '--to', to, '--once');
  expect(made).toMatchObject({ code: 0 });
  expect(made.output).toMatch(/position \d+, \d+ events, \d+ bytes, age \d+\.\d s/);
  const restored = await restoreBackup('--from', to, '--into', target.url);
  expect(restored).toMatchObject({ code: 0 });
  const originals = copiedFields(await readAll(source.url), { without: source.destroyed });
  expect(originals.length).toBeGreaterThan(300);
  expect(copiedFields(await readAll(target.url))).toEqual(originals);

  const again = await restoreBackup('--from', to, '--into', target.url);
  expect(again).toMatchObject({ code: 3, output: expect.stringContaining('is not empty') });
  expect(await readAll(target.url)).toHaveLength(originals.length);
});

it('restores into a DATA_DIR, which must have no log (R26.4)', async () => {
  const source = await useSource({ operations: 5 });
  const [to, dataDir] = [useTempFolder(), useTempFolder()];
  expect(await backUp({ EVENT_STORE_URL: source.url }, '--to', to, '--once')).toMatchObject({
    code: 0,
  });
  expect(await restoreBackup('--from', to, '--into', dataDir)).toMatchObject({ code: 0 });
  expect(readdirSync(dataDir)).toEqual(['event-store']);
  expect(await restoreBackup('--from', to, '--into', dataDir)).toMatchObject({ code: 3 });
  const node = await startNodeProcess({ directory: join(dataDir, 'event-store') });
  const restored = await readAll(node.url);
  await node.stop('SIGTERM');
  const positions = true;
  expect(copiedFields(restored, { positions })).toEqual(
    copiedFields(await readAll(source.url), { without: source.destroyed, positions }),
  );
});

it('follows the log, resumes after a kill, and refuses a second one and another log (R26.2)', async () => {
  const source = await useSource({ operations: 5 });
  const to = useTempFolder();
  const where = { EVENT_STORE_URL: source.url };
  const first = startBackup(where, '--to', to);
  const objects = () => readdirSync(join(to, 'log')).length;
  await eventually('it follows', () => first.output().includes('Following'));
  const before = objects();
  await appendMore(source.store, 3);
  await eventually('the events are in the copy', () => objects() > before);

  const second = await backUp(where, '--to', to, '--once');
  expect(second).toMatchObject({ code: 3, output: expect.stringContaining('Another backup') });

  first.kill('SIGKILL');
  await first.ended;
  await appendMore(source.store, 3);
  expect(await backUp(where, '--to', to, '--once')).toMatchObject({ code: 0 });
  const target = await useTarget();
  expect(await restoreBackup('--from', to, '--into', target.url)).toMatchObject({ code: 0 });
  expect(copiedFields(await readAll(target.url))).toEqual(
    copiedFields(await readAll(source.url), { without: source.destroyed }),
  );

  const other = await useSource({ operations: 2 });
  const refused = await backUp({ EVENT_STORE_URL: other.url }, '--to', to, '--once');
  expect(refused).toMatchObject({ code: 3, output: expect.stringContaining('of another log') });
});

it('prints what a copy without its last object lacks of a signed checkpoint (R26.3)', async () => {
  const source = await useSource({ operations: 5 });
  const to = useTempFolder();
  const where = { EVENT_STORE_URL: source.url };
  expect(await backUp(where, '--to', to, '--once')).toMatchObject({ code: 0 });
  await appendMore(source.store, 3);
  expect(await backUp(where, '--to', to, '--once')).toMatchObject({ code: 0 });

  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const chain = createChain();
  const log = (await readAll(source.url)).filter(({ stream }) => isPermanent(stream));
  for (const event of log) chain.add(event);
  const sign = (hash: string) => {
    const content = { position: log.at(-1)?.position ?? 0, events: log.length, hash };
    return JSON.stringify(signCheckpoint({ ...content, createdAt: new Date() }, privateKey));
  };
  const folder = useTempFolder();
  const [file, key] = [join(folder, 'checkpoint.json'), join(folder, 'key.pem')];
  writeFileSync(key, publicKey.export({ type: 'spki', format: 'pem' }));
  const restore = async (text: string) => {
    writeFileSync(file, text);
    const { url } = await useTarget();
    return restoreBackup('--from', to, '--into', url, '--checkpoint', file, '--public-key', key);
  };
  const whole = await restore(sign(chain.hash()));
  expect(whole.output).toContain(`the copy has all ${log.length} events`);
  expect(whole.code).toBe(0);
  const other = await restore(sign('0'.repeat(64)));
  expect(other).toMatchObject({ code: 1, output: expect.stringContaining('the copy differs') });
  const { url: unverified } = await useTarget();
  writeFileSync(file, sign(chain.hash()));
  const alone = await restoreBackup('--from', to, '--into', unverified, '--checkpoint', file);
  expect(alone.output).toContain(`${fingerprint(publicKey)}: there is no key to verify it with`);
  expect(whole.output).not.toContain('there is no key');
  const forged = await restore(sign(chain.hash()).replace('"events":', '"events":1'));
  expect(forged).toMatchObject({ code: 1, output: expect.stringContaining('its signature') });

  const last = readdirSync(join(to, 'log')).toSorted().at(-1) ?? '';
  rmSync(join(to, 'log', last));
  const cut = await restore(sign(chain.hash()));
  expect(cut.output).toContain('the copy lacks 3 events');
  expect(cut.code).toBe(0);
});

it('takes a wrong command line as such', async () => {
  const to = useTempFolder();
  for (const args of [[], ['--to', ''], ['--to', 'ftp://x/y'], ['--to', 's3://b'], ['--wrong']])
    expect(await backUp({}, ...args)).toMatchObject({ code: 2 });
  for (const args of [
    ['--from', to],
    ['--into', to],
    ['--from', to, '--drill', '--into', to],
    ['--from', to, '--into', to, '--until', 'yesterday'],
    ['--from', to, '--into', to, '--report', 'file'],
    ['--from', to, '--into', to, '--public-key', 'file'],
  ])
    expect(await restoreBackup(...args)).toMatchObject({ code: 2 });
});
