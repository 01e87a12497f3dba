import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { cpuMs, proportionalBytes, readUsage } from './usage.ts';

const sleep = 'setInterval(() => {}, 1e3);';
/** Prints its child's pid once the child has started. */
const program = `
  const started = 'process.stdout.write("started");${sleep}';
  const { pid, stdout } = require('node:child_process').spawn(process.execPath, ['-e', started]);
  stdout.once('data', () => process.stdout.write(String(pid)));`;

it('attributes a child’s usage to its parent, unless the child is measured separately', async () => {
  const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [said] = (await once(parent.stdout, 'data')) as [Buffer];
  const [pid, child] = [parent.pid ?? 0, Number(said)];
  onTestFinished(() => void process.kill(child, 'SIGKILL'));

  const { both } = readUsage({ both: pid });
  const named = readUsage({ parent: pid, child });
  expect(Object.keys(named).toSorted()).toEqual(['child', 'parent']);
  expect(both?.ownMemoryBytes).toBeGreaterThan(named['parent']?.ownMemoryBytes ?? Number.NaN);
  expect(both?.ownMemoryBytes).toBeGreaterThan(named['child']?.ownMemoryBytes ?? Number.NaN);
  expect(proportionalBytes([pid])).toBeGreaterThan(proportionalBytes([child]));
  expect(proportionalBytes([pid, child])).toBeLessThan(2 * proportionalBytes([pid]));
  // Read first, because the child may use more in between.
  const ofChild = cpuMs([child]);
  expect(cpuMs([pid])).toBeGreaterThanOrEqual(ofChild);
});

it('returns nothing for a process that has exited', () => {
  const gone = 2 ** 22 + 1;
  expect(readUsage({ gone })).toEqual({});
  expect([cpuMs([gone]), proportionalBytes([gone])]).toEqual([0, 0]);
});
