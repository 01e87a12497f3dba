import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { grave, readAdvice } from './advisories.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The output of npm audit for this answer of the registry. */
async function auditWith(status: number, body: string): Promise<string> {
  const { url, close } = await openServer((request, response) => {
    request.resume();
    // npm requests the versions of packages with an advisory.
    const name = decodeURIComponent((request.url ?? '').slice(1));
    const answer = request.method === 'GET' ? JSON.stringify({ name, versions: {} }) : body;
    request.on('end', () =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer),
    );
  });
  onTestFinished(close);
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=0', `--registry=${url}`];
  const audited = await promisify(execFile)('npm', args, { cwd: root }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return audited.stdout;
}

it('accepts a registry’s answer without advisories', async () => {
  expect(readAdvice(await auditWith(200, '{}'))).toEqual({ outcome: 'answered', advisories: [] });
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
  if (advice.outcome !== 'answered') throw new Error(advice.reason);
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
