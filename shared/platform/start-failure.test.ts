import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { listenOnLoopback } from '#infra/verify/harness/processes/loopback.ts';
import { startFailure } from './start-failure.ts';

it('describes a busy port in one sentence, with the port (R19.1)', async () => {
  const first = createServer();
  const port = await listenOnLoopback(first);
  const [error] = await once(createServer().listen(port, '127.0.0.1'), 'error').catch(
    (failed: unknown) => [failed],
  );
  first.close();
  expect(startFailure(error)).toBe(
    `Port ${port} of 127.0.0.1 is in use: stop what listens there, or set another port`,
  );
});

it('describes a full disk in one sentence, with the path if it is known (R19.1)', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  });
  expect(startFailure(full)).toBe('The disk is full: free some space, then start again');
  expect(startFailure(Object.assign(full, { path: '/data/stack.json' }))).toBe(
    'The disk is full, at /data/stack.json: free some space, then start again',
  );
});

it('returns undefined for any other error', () => {
  expect(startFailure(new Error('a bug'))).toBeUndefined();
  expect(startFailure(undefined)).toBeUndefined();
});
