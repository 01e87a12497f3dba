import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { cpuMs, proportionalBytes, readUsage } from './usage.ts';

const sleep = 'setInterval(() => {}, 1e3);';
const program = `
  const { pid } = require('node:child_process').spawn(process.execPath, ['-e', '${sleep}'], { stdio: 'ignore' });
  process.stdout.write(String(pid));
  ${sleep}`;

it('counts a child for its parent, unless the child has a name of its own', async () => {
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
  expect(cpuMs([pid])).toBeGreaterThanOrEqual(cpuMs([child]));
});

it('knows nothing of a process that is gone', () => {
  const gone = 2 ** 22 + 1;
  expect(readUsage({ gone })).toEqual({});
  expect([cpuMs([gone]), proportionalBytes([gone])]).toEqual([0, 0]);
});
