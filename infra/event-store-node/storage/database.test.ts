import { expect, it, onTestFinished } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { openNodeDatabase } from './database.ts';

it('writes each commit to the disk before it returns, and deleted data with zeros', () => {
  const database = openNodeDatabase(useTempFolder());
  onTestFinished(() => database.close());
  const read = (pragma: string) => database.prepare(`PRAGMA ${pragma}`).get()?.[pragma];
  const full = 2;
  expect(['journal_mode', 'synchronous', 'secure_delete'].map(read)).toEqual(['wal', full, 1]);
});
