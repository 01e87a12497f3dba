import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useTempFolder } from '#infra/verify/harness/tests/for-file.ts';
import { nodeFlags } from '../process/node-flags.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Runs Node with a separate compile cache. @returns its output */
const node = (cache: string, ...args: string[]) =>
  execFileSync(process.execPath, [...nodeFlags, ...args], {
    env: { NODE_COMPILE_CACHE: cache },
    encoding: 'utf8',
  });

test('compiles all code of the first start: no process loads the compiler', () => {
  const cache = useTempFolder();
  expect(node(cache, path('compile.ts'))).toBe('');
  expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(500);

  for (const program of [
    'main.ts',
    'services-in-one-process.ts',
    '../event-store-node/main.ts',
    '../../projections/main.ts',
  ]) {
    const script = `await import(${JSON.stringify(path(program))})
      console.log(process.moduleLoadList.some((name) => name.includes('amaro')))`;
    expect(node(cache, '--input-type=module', '--eval', script)).toBe('false\n');
  }
});

test('compiles in `npm ci` with the flags of `npm start`', () => {
  const { scripts } = JSON.parse(readFileSync(path('../../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts['start']).toContain(`node ${nodeFlags.join(' ')} infra/start/main.ts`);
  expect(scripts['postinstall']).toContain(`node ${nodeFlags.join(' ')} infra/start/compile.ts`);
});
