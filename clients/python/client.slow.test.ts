import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { clientArchive } from '#services/documentation/client-archive.ts';
import {
  cut,
  cutWithin,
  html,
  json,
  problem,
  serveAnswers,
  type Answer,
} from '../typescript/testing/answers.ts';

const hasPython = spawnSync('python3', ['-V']).error === undefined;
const folder = makeTempFolder();

const program = `import json, os
from gateway_client import Gateway, GatewayError

pauses = []
retries = []
gateway = Gateway(os.environ["GATEWAY"], "key", sleep=pauses.append,
                  on_retry=lambda code, pause: retries.append(code))
try:
    answer = gateway.cancel_operation(operation_id="x", reason="test")
    result = {"data": answer, "attempts": answer.attempts, "replayed": answer.replayed}
except GatewayError as error:
    result = {"code": error.code, "status": error.status, "outcome": error.outcome,
              "attempts": error.attempts, "problem": error.problem}
print(json.dumps({**result, "retries": retries, "pauses": pauses}))
`;

beforeAll(() => {
  writeFileSync(join(folder, 'client.tgz'), clientArchive());
  spawnSync('tar', ['xzf', 'client.tgz'], { cwd: folder });
  writeFileSync(join(folder, 'main.py'), program);
});
afterAll(() => removeFolder(folder));

type PythonResult = Record<string, unknown> & { pauses: number[] };

async function cancel(...answers: readonly Answer[]) {
  const { url, seen } = await serveAnswers(...answers);
  const env = {
    PATH: process.env['PATH'],
    GATEWAY: url,
    PYTHONPATH: join(folder, 'gateway-client/python'),
  };
  const { stdout } = await promisify(execFile)('python3', ['main.py'], { cwd: folder, env });
  return { seen, result: JSON.parse(stdout) as PythonResult };
}

describe.skipIf(!hasPython)('the Python client', () => {
  it('sends the same bytes again after a page of a proxy, half an answer and a cut', async () => {
    const answer = json({ outcome: 'cancelled' }, { 'idempotent-replayed': 'true' });
    const cutShort = cutWithin({ outcome: 'cancelled' });
    const { seen, result } = await cancel(html(502), cutShort, cut, answer);
    expect(result).toMatchObject({
      data: { outcome: 'cancelled' },
      attempts: 4,
      replayed: true,
      retries: ['unexpected_answer', 'no_answer', 'no_answer'],
    });
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    expect(new Set(seen.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
  });

  it.each([
    [429, 'rate_limited'],
    [503, 'not_ready'],
  ])('waits after a %s for what Retry-After says', async (status, code) => {
    const busy = problem(status, code, { headers: { 'retry-after': '7' } });
    const { result } = await cancel(busy, json({}));
    expect(result).toMatchObject({ retries: [code], pauses: [7] });
  });

  it('repeats an internal error once, and then does not know the outcome', async () => {
    const { result } = await cancel(problem(500, 'internal_error'));
    expect(result).toMatchObject({
      code: 'internal_error',
      status: 500,
      outcome: 'unknown',
      attempts: 2,
    });
  });

  it('takes a refusal for the result, with what it tells', async () => {
    const members = { errors: [{ pointer: '/reason', code: 'field_invalid', detail: 'no' }] };
    const { result } = await cancel(problem(400, 'invalid_request', { members }));
    expect(result).toMatchObject({ outcome: 'not_done', attempts: 1, problem: members });
  });

  it('follows no redirect', async () => {
    const elsewhere: Answer = (response) =>
      void response.writeHead(302, { location: '/elsewhere' }).end();
    const { seen, result } = await cancel(elsewhere);
    expect([result['code'], result['status'], seen.length]).toEqual(['unexpected_answer', 302, 1]);
  });
});
