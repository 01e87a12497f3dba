import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { seriesIn } from './series.ts';

it('goes on from the newest checkpoint of its folder, and writes the next one beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const times = ['2026-02-01T03:15:00.000Z', '2026-02-02T03:15:00.000Z', '2026-02-10T03:15:00.123Z'];
  const made: string[] = [];
  for (const time of times) {
    const { sinceFile, checkpointFile } = seriesIn(folder, new Date(time));
    expect(sinceFile).toBe(made.at(-1));
    writeFileSync(checkpointFile, '{}');
    made.push(checkpointFile);
  }
  // What an audit that died has left, and what is none.
  for (const other of ['checkpoint-20270101T031500000Z.json.new', 'lost+found', 'zzz.json'])
    writeFileSync(join(folder, other), '');
  expect(seriesIn(folder, new Date(times[0] ?? '')).sinceFile).toBe(made[2]);
  expect(() => seriesIn(join(folder, 'none'), new Date())).toThrow('ENOENT');
});
