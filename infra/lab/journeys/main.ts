import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '#shared/platform/command-line.ts';
import { formatted } from '#infra/verify/harness/tests/formatted.ts';
import type { TestRecording } from '#infra/verify/harness/browser/recorder.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { journeys, renderJourneys } from './page.ts';

/**
 * `npm run lab -- journeys`: runs them in Chromium and writes their steps into
 * docs/measurements/journeys.md.
 */
const usage = `usage: npm run lab -- journeys

Runs the journeys of seven roles in Chromium, and writes their steps with times into
docs/measurements/journeys.md.
`;
readCommandLine(usage, {});
const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = 'docs/measurements/journeys.md';
const folder = makeTempFolder();
const names = journeys.flatMap(({ tests }) => tests);
const pattern = names.map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
// Sequentially, so that they don't slow each other.
const args = [
  'run',
  '--config',
  'vitest.workspace.ts',
  '--project',
  'browser',
  '--maxWorkers',
  '1',
  '-t',
  pattern,
];
try {
  const env = { ...process.env, JOURNEYS: folder, CI: 'true' };
  const { status } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('a journey failed');
  const recordings = readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as TestRecording,
  );
  // The text above the first journey is written by hand.
  const [about = ''] = readFileSync(join(root, path), 'utf8').split(/^## /m);
  writeFileSync(join(root, path), formatted(path, renderJourneys(recordings, about)));
} finally {
  removeFolder(folder);
}
