import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { signCheckpoint } from './checkpoint.ts';
import { seriesIn } from './series.ts';

it('continues from the newest checkpoint of the folder, and adds the next one', () => {
  const folder = useTempFolder();
  const times = [
    '2026-02-01T03:15:00.000Z',
    '2026-02-02T03:15:00.000Z',
    '2026-02-10T03:15:00.123Z',
  ];
  const written: string[] = [];
  for (const time of times) {
    const { sinceFile, checkpointFile } = seriesIn(folder, new Date(time));
    expect(sinceFile).toBe(written.at(-1));
    writeFileSync(checkpointFile, '{}');
    written.push(checkpointFile);
  }
  // A leftover of a killed audit, and files that are not checkpoints.
  for (const other of ['checkpoint-20270101T031500000Z.json.new', 'lost+found', 'zzz.json'])
    writeFileSync(join(folder, other), '');
  expect(seriesIn(folder, new Date(times[0] ?? '')).sinceFile).toBe(written[2]);
  expect(() => seriesIn(join(folder, 'none'), new Date())).toThrow('ENOENT');
});

it('continues from the highest position, whatever the file names', () => {
  const folder = useTempFolder();
  const { privateKey } = generateKeyPairSync('ed25519');
  const fileOf = (time: string) => seriesIn(folder, new Date(time)).checkpointFile;
  const write = (time: string, position: number) => {
    const file = fileOf(time);
    const content = { position, events: position, hash: 'f'.repeat(64), createdAt: new Date(time) };
    writeFileSync(file, JSON.stringify(signCheckpoint(content, privateKey)));
    return file;
  };
  const old = write('2026-02-01T03:15:00.000Z', 900);
  const newest = write('2026-02-02T03:15:00.000Z', 1_000);
  copyFileSync(old, fileOf('2099-01-01T00:00:00.000Z'));
  expect(seriesIn(folder, new Date()).sinceFile).toBe(newest);
  // An unreadable checkpoint is used, so that the audit reports it.
  const broken = fileOf('2099-01-02T00:00:00.000Z');
  writeFileSync(broken, '{}');
  expect(seriesIn(folder, new Date()).sinceFile).toBe(broken);
});
