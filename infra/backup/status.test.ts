import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { describeNewestBackup, writeBackupStatus } from './status.ts';

const status = {
  target: '/mnt/backup',
  totals: { position: 7, events: 1, bytes: 100 },
  completeMs: 1_000_000,
};

it('describes the age of the newest copy', () => {
  const dataDir = useTempFolder();
  expect(describeNewestBackup(dataDir, 0)).toMatch(/^none/);
  expect(writeBackupStatus(dataDir, status)).toBeUndefined();
  expect(describeNewestBackup(dataDir, 1_002_500)).toBe('2.5 s old, in /mnt/backup');
});

it('describes an age as unknown if its file is empty or unreadable', () => {
  const dataDir = useTempFolder();
  writeFileSync(join(dataDir, 'backup.json'), '');
  expect(describeNewestBackup(dataDir, 0)).toMatch(/^age unknown/);
  const other = useTempFolder();
  mkdirSync(join(other, 'backup.json'));
  expect(describeNewestBackup(other, 0)).toMatch(/^age unknown/);
});

it('returns why it could not record the age, and throws nothing', () => {
  const dataDir = useTempFolder();
  mkdirSync(join(dataDir, 'backup.json'));
  expect(writeBackupStatus(dataDir, status)).toMatch(/not recorded/);
});
