import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import exceptions from './long-functions.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../..', import.meta.url));
const oxlint = fileURLToPath(new URL('node_modules/.bin/oxlint', `file://${root}`));
const config = fileURLToPath(new URL('oxlint.json', import.meta.url));
// A `describe` is a list of cases: tests are not counted.
const flags = ['--config', config, '--ignore-pattern', '**/*.test.ts', '--format', 'json'];
/** How many files may be on the list: as many as there are. Lower it with each that is taken off. */
const mostExceptions = 0;

type Report = { diagnostics: { message: string; filename: string }[] };

/** The longest function of each file that has one of more than 70 lines. */
async function findLongest(): Promise<Map<string, number>> {
  const { diagnostics } = JSON.parse(await report()) as Report;
  const longest = new Map<string, number>();
  for (const { message, filename } of diagnostics) {
    const lines = Number(/too many lines \((\d+)\)/.exec(message)?.[1]);
    longest.set(filename, Math.max(lines, longest.get(filename) ?? 0));
  }
  return longest;
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

it('no function is longer than 70 lines, and the list of those that are gets shorter', async () => {
  const longest = await findLongest();
  const allowed = new Map(Object.entries(exceptions));
  const tooLong = [...longest].filter(([file, lines]) => lines > (allowed.get(file) ?? 70));
  expect(tooLong, 'split these: a function has at most 70 lines').toEqual([]);
  const isStale = ([file, lines]: [string, number]) => lines - 10 >= (longest.get(file) ?? 0);
  expect([...allowed].filter(isStale), 'take these off long-functions.json, or lower them').toEqual([]);
  expect(allowed.size, 'the list only gets shorter').toBeLessThanOrEqual(mostExceptions);
});
