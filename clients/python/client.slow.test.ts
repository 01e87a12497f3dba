import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { unpackPackage } from '#infra/verify/client-package/package.ts';
import {
  cut,
  cutWithin,
  html,
  json,
  problem,
  serveAnswers,
  written,
  type Answer,
} from '../typescript/testing/answers.ts';

const hasPython = spawnSync('python3', ['-V']).error === undefined;
const folder = folderForFile();

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
              "attempts": error.attempts, "problem": error.problem, "text": str(error)}
print(json.dumps({**result, "retries": retries, "pauses": pauses}))
`;

beforeAll(() => {
  unpackPackage(folder);
  writeFileSync(join(folder, 'main.py'), program);
});

const allEndpoints = `import json, os
from gateway_client import Gateway, GatewayError

gateway = Gateway(os.environ["GATEWAY"], "key", sleep=lambda pause: None)
checked = gateway.check_payout_batch("method\\nWT_RUB_C2C")
confirmed = gateway.confirm_payout_batch(checked["batch_id"])
read = gateway.get_payout_batch(checked["batch_id"])
rows = gateway.get_payout_batch_result(checked["batch_id"])
made = gateway.create_webhook_endpoint(url="https://shop.example/", types=["ping"])
gateway.change_webhook_endpoint(made["endpoint_id"], enabled=False)
gone = gateway.delete_webhook_endpoint(made["endpoint_id"])
entries = gateway.get_statement(from_="2026-01-01T00:00:00+03:00", to="2026-02-01T00:00:00Z")
try:
    gateway.rotate_webhook_secret(made["endpoint_id"])
except GatewayError as error:
    doubt = [error.code, error.outcome, error.attempts]
print(json.dumps([checked, confirmed, read, rows, rows.attempts, made, gone, entries, doubt]))
`;

type PythonResult = Record<string, unknown> & { pauses: number[] };

const environment = (url: string) => ({
  PATH: process.env['PATH'],
  GATEWAY: url,
  PYTHONPATH: join(folder, 'gateway-client/python'),
});

async function cancel(...answers: readonly Answer[]) {
  const { url, seen } = await serveAnswers(...answers);
  const options = { cwd: folder, env: environment(url) };
  const { stdout } = await promisify(execFile)('python3', ['main.py'], options);
  return { seen, result: JSON.parse(stdout) as PythonResult };
}

describe.skipIf(!hasPython)('the Python client', () => {
  it('repeats the same request after a proxy’s page, half an answer and a cut', async () => {
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
  ])('waits after a %s for the time in Retry-After', async (status, code) => {
    const busy = problem(status, code, { headers: { 'retry-after': '7' } });
    const { result } = await cancel(busy, json({}));
    expect(result).toMatchObject({ retries: [code], pauses: [7] });
  });

  it('repeats an internal error once, then reports an unknown outcome', async () => {
    const { result } = await cancel(problem(500, 'internal_error'));
    expect(result).toMatchObject({
      code: 'internal_error',
      status: 500,
      outcome: 'unknown',
      attempts: 2,
    });
  });

  it('returns a rejection with its details, without a retry', async () => {
    const errors = [{ pointer: '/reason', code: 'field_invalid', detail: 'must be a string' }];
    const members = { detail: '/reason: must be a string', errors };
    const { result } = await cancel(problem(400, 'invalid_request', { members }));
    expect(result).toMatchObject({ outcome: 'not_done', attempts: 1, problem: members });
    expect(result.text).toMatch('/reason: must be a string (invalid_request, request ');
  });

  it('calls payout batches, webhook endpoints and statements too', async () => {
    writeFileSync(join(folder, 'everything.py'), allEndpoints);
    const typed = (status: number, body: object) =>
      written(status, 'application/json', JSON.stringify(body));
    const endpoint = { endpoint_id: 'e/1' };
    const { url, seen } = await serveAnswers(
      typed(201, { batch_id: 'b/1' }),
      typed(202, { status: 'running' }),
      json({ status: 'done' }),
      written(200, 'text/csv; charset=utf-8', 'row\r\n1\r\n'),
      typed(201, endpoint),
      json(endpoint),
      written(204),
      json({ entries: [] }),
      html(502),
    );
    const options = { cwd: folder, env: environment(url) };
    const { stdout } = await promisify(execFile)('python3', ['everything.py'], options);
    expect(JSON.parse(stdout)).toEqual([
      { batch_id: 'b/1' },
      { status: 'running' },
      { status: 'done' },
      'row\r\n1\r\n',
      1,
      endpoint,
      {},
      { entries: [] },
      // It may have been done, so it is not repeated.
      ['unexpected_answer', 'unknown', 1],
    ]);
    expect(seen.map(({ method, path, body }) => [`${method} ${path}`, body])).toEqual([
      ['POST /v1/payout-batches', 'method\nWT_RUB_C2C'],
      ['POST /v1/payout-batches/b%2F1/confirm', ''],
      ['GET /v1/payout-batches/b%2F1', ''],
      ['GET /v1/payout-batches/b%2F1/result.csv', ''],
      ['POST /v1/webhook-endpoints', '{"url": "https://shop.example/", "types": ["ping"]}'],
      ['PATCH /v1/webhook-endpoints/e%2F1', '{"enabled": false}'],
      ['DELETE /v1/webhook-endpoints/e%2F1', ''],
      ['GET /v1/statements?from=2026-01-01T00%3A00%3A00%2B03%3A00&to=2026-02-01T00%3A00%3A00Z', ''],
      ['POST /v1/webhook-endpoints/e%2F1/rotate-secret', ''],
    ]);
  });

  it('does not follow redirects', async () => {
    const elsewhere: Answer = (response) =>
      void response.writeHead(302, { location: '/elsewhere' }).end();
    const { seen, result } = await cancel(elsewhere);
    expect([result['code'], result['status'], seen.length]).toEqual(['unexpected_answer', 302, 1]);
  });
});
