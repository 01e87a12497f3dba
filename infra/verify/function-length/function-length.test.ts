import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const oxlint = fileURLToPath(new URL('node_modules/.bin/oxlint', `file://${root}`));
const config = fileURLToPath(new URL('oxlint.json', import.meta.url));
// A `describe` is a list of cases: tests are not counted.
const flags = ['--config', config, '--ignore-pattern', '**/*.test.ts', '--format', 'json'];

type Report = { diagnostics: { message: string; filename: string }[] };

/** Where each stands, and how long it is. */
async function findTooLong(): Promise<string[]> {
  const { diagnostics } = JSON.parse(await report()) as Report;
  return diagnostics.map(({ filename, message }) => `${filename}: ${message}`);
}

/** It ends with code 1 where it finds any. */
function report(): Promise<string> {
  const options = { cwd: root, maxBuffer: 64 * 2 ** 20 };
  return new Promise((resolve, reject) => {
    execFile(oxlint, [...flags, '.'], options, (error, stdout) =>
      stdout === '' ? reject(error ?? new Error('oxlint says nothing')) : resolve(stdout),
    );
  });
}

it('no function is longer than 70 lines', async () => {
  expect(await findTooLong(), 'split these').toEqual([]);
});
