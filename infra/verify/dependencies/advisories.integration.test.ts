import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { grave, readAdvice } from './advisories.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** The output of npm audit for this answer of the registry. */
async function auditWith(status: number, body: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    // npm requests the versions of packages with an advisory.
    const name = decodeURIComponent((request.url ?? '').slice(1));
    const answer = request.method === 'GET' ? JSON.stringify({ name, versions: {} }) : body;
    request.on('end', () =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const registry = `--registry=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', registry];
  const audited = await promisify(execFile)('npm', args, { cwd: root }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return audited.stdout;
}

it('accepts a registry’s answer without advisories', async () => {
  expect(readAdvice(await auditWith(200, '{}'))).toEqual({ outcome: 'asked', advisories: [] });
});

it('reports a critical advisory', async () => {
  const advisory = {
    id: 1,
    title: 'Bad',
    severity: 'critical',
    vulnerable_versions: '>0',
    url: 'https://a.example',
  };
  const advice = readAdvice(await auditWith(200, JSON.stringify({ hono: [advisory] })));
  if (advice.outcome !== 'asked') throw new Error(advice.reason);
  expect(grave(advice.advisories)).toContainEqual({
    name: 'hono',
    severity: 'critical',
    title: 'Bad',
  });
});

it('is undecided, with a reason, if the registry does not answer', async () => {
  const advice = readAdvice(await auditWith(503, '{"error":"down"}'));
  expect(advice).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/./) });
  expect(readAdvice('')).toMatchObject({ outcome: 'unknown' });
});
