import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { readDemo } from '#infra/start/demo-file.ts';
import { amountScenarios } from '#shared/application/providers/sandbox/amounts.ts';
import { findFreePort } from '#infra/process/free-port.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { request, setUpMerchant, type TestMerchant } from '#infra/verify/harness/shops/merchant.ts';
import { createTestOperator } from '#infra/verify/harness/shops/operator.ts';
import { endpoints } from '#shared/api/openapi/document.ts';
import type { Endpoint } from '#shared/api/openapi/endpoint.ts';
import { renderCurl } from '../endpoints/curl.ts';
import { renderCommands } from '../sandbox/section.ts';
import { sandboxScenarios, type Scenario } from '../sandbox/scenarios.ts';
import { installCommand, program } from './load.ts';

// Runs all commands and programs of the documentation, as a reader would.

const root = fileURLToPath(new URL('../../..', import.meta.url));
const demoExports = fileURLToPath(new URL('../../../infra/start/demo-exports.ts', import.meta.url));
const folder = folderForFile();
/** For a program that hangs. */
const timeout = 600_000;
const stack = stackForFile({ env: { DEMO: '1', PROVIDER_ACCEPTANCE_MS: '10000' } });
let demoKey = '';
const open: TestMerchant[] = [];

beforeAll(async () => {
  const { api_key: key = '', shop_id: shop } = readDemo(stack.dataDir);
  demoKey = key;
  // All examples share one key.
  await createTestOperator(stack)('PATCH', `/shops/${shop}`, {
    rate_limit: { per_second: 1_000, burst: 1_000 },
  });
  await run('bash', ['-e', '-o', 'pipefail', '-c', installCommand]);
  writeFileSync(join(folder, 'receipt.pdf'), '%PDF-1.4\n%%EOF');
  writeFileSync(join(folder, 'payouts.csv'), payoutFile);
});
afterAll(() => Promise.all(open.map((each) => each.close())));

async function openShop(routes: object[]): Promise<TestMerchant> {
  const opened = await setUpMerchant(stack, { routes });
  open.push(opened);
  return opened;
}

const environment = (more: Record<string, string> = {}) => ({
  PATH: process.env['PATH'],
  GATEWAY: stack.urls.gateway,
  PROVIDER: stack.urls.sandbox,
  ADMIN: stack.urls.admin,
  ADMIN_TOKEN: stack.adminToken,
  API_KEY: demoKey,
  ...more,
});

/** Runs a program as the reader does. @returns its output @throws with its errors */
async function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd: folder,
    env: environment(env),
    timeout,
  });
  return stdout;
}

/** Writes the program to the folder. @returns the name of its file */
function save(name: string, extension: 'sh' | 'ts' | 'py'): string {
  writeFileSync(join(folder, `${name}.${extension}`), program(name, extension));
  return `${name}.${extension}`;
}

const hasPython = spawnSync('python3', ['-V']).error === undefined;

describe('the guide', () => {
  it('works with curl', async () => {
    const printed = await run('bash', ['-e', '-o', 'pipefail', save('guide', 'sh')]);
    expect(printed).toMatch(/"payment_url":"http/);
    expect(printed.toLowerCase()).toContain('idempotent-replayed: true');
    expect(printed).toMatch(/"status":"completed".*"actual_amount":"100.00"/);
    expect(printed).toMatch(/"currency":"RUB","balance":"97.50"/);
    expect(printed).toMatch(/"balance":"97.50"[^]*"expected_amount":"1051.00"/);
    expect(readFileSync(join(folder, 'receipt.pdf')).toString('latin1')).toMatch(/^%PDF-1.4\n/);
  });
});

describe.concurrent('the guide, concurrently', () => {
  it('settles a pending payment', async () => {
    const printed = await run('bash', ['-e', '-o', 'pipefail', '-c', program('settle', 'sh')]);
    expect(JSON.parse(printed)).toMatchObject({
      status: 'completed',
      legs: [{ amount: '1009.00' }],
    });
  });

  it('works in TypeScript with the exports of the demo, on any version of Node', async () => {
    const demo = await promisify(execFile)(process.execPath, [demoExports], {
      env: {
        DATA_DIR: stack.dataDir,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      },
    });
    const typed = `eval "$1"; command -v node; node ${save('guide', 'ts')}`;
    const printed = await run('/bin/bash', ['-e', '-c', typed, '-', demo.stdout], {
      PATH: '/bin:/usr/bin',
    });
    expect(printed).toContain(`${root}node_modules/node/bin/node\n`);
    expect(printed).toMatch(/pending http:\S+\nreplayed: true\ncompleted 100.00[^]*\nreceipt: \w+/);
  });

  it.skipIf(!hasPython)('works in Python', async () => {
    const printed = await run('python3', [save('guide', 'py')]);
    expect(printed).toMatch(/pending http:\S+\nreplayed: True\ncompleted 100.00[^]*\nreceipt: \w+/);
  });

  it.skipIf(!hasPython)('uploads a receipt in Python without the client', async () => {
    const created = await request(
      `${stack.urls.gateway}/v1/payment`,
      'POST',
      {
        merchant_operation_id: 'multipart-1',
        client_id: 'client-1',
        method: 'WT_RUB_C2C',
        amount: '1051.00',
        currency: 'RUB',
      },
      { 'x-api-key': demoKey },
    );
    const env = { OPERATION_ID: created.body.operation_id };
    expect(await run('python3', [save('multipart', 'py')], env)).toMatch(/^200 \{"operation_id"/);
  });

  it('leaves the shop unchanged after its clean-up', async () => {
    const shop = await openShop([{}]);
    const all = async () => {
      const headers = { 'x-api-key': shop.apiKey };
      const read = async (path: string) =>
        (await fetch(`${stack.urls.gateway}/v1/${path}`, { headers })).text();
      return [await read('balances'), await read('webhook-endpoints')];
    };
    const before = await all();
    const steps = ['own-webhook', 'top-up'].map((name) => program(name, 'sh')).join('\n');
    const env = { SHOP_ID: shop.shopId, API_KEY: shop.apiKey };
    const typed = `${steps}\ncurl -sS "$GATEWAY/v1/balances" -H "X-API-Key: $API_KEY"\n`;
    const printed = await run(
      'bash',
      ['-e', '-o', 'pipefail', '-c', `${typed}${program('clean-up', 'sh')}`],
      env,
    );
    expect(printed).toMatch(/^whsec_/m);
    expect(printed).toContain('"balance":"500.00"');
    expect(await all()).toEqual(before);
  });

  it('passes the strict type check', async () => {
    save('guide', 'ts');
    save('webhook', 'ts');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      target: 'es2024',
      module: 'nodenext',
      lib: ['es2024'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      noEmit: true,
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    );
    expect(
      await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.']),
    ).toBe('');
  });
});

describe.concurrent('the webhook receiver', () => {
  const receivers: [name: string, command: string, extension: 'ts' | 'py'][] = [
    ['TypeScript', process.execPath, 'ts'],
    ...(hasPython ? [['Python', 'python3', 'py'] as [string, string, 'py']] : []),
  ];
  it.each(receivers)('verifies webhooks in %s', async (_, command, extension) => {
    const port = await findFreePort();
    const shop = await openShop([{ options: { autopilot_ms: 100 } }]);
    const url = `http://127.0.0.1:${port}/`;
    const setUp = program('own-webhook', 'sh').replace('http://127.0.0.1:4000/', url);
    const output = await run('bash', ['-e', '-o', 'pipefail', '-c', setUp], {
      API_KEY: shop.apiKey,
    });
    const secret = output.trim().split('\n').at(-1) ?? '';
    const child = spawn(command, [save('webhook', extension)], {
      cwd: folder,
      env: environment({ PORT: String(port), WEBHOOK_SECRET: secret }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    }
    try {
      const forged = () =>
        fetch(url, { method: 'POST', body: '{}' }).then(
          ({ status }) => status,
          () => 0,
        );
      await eventually('an unsigned request is rejected', async () => (await forged()) === 401);
      await eventually('the reason is logged', () => printed.includes('refused: headers_missing'));
      expect(await shop.pay('order-1')).toMatchObject({ status: 200 });
      await eventually('the webhook is logged', () =>
        printed.includes('payment.completed order-1 100.00'),
      );
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });
});

describe.concurrent('a scenario of the sandbox', () => {
  it.each(sandboxScenarios)('$id', async (scenario: Scenario) => {
    const { id, type, route, ends } = scenario;
    const shop = await openShop([{ type, ...route }]);
    const created = await (type === 'payment' ? shop.pay(id) : shop.payOut(id));
    const refused =
      'refused' in ends ? { status: 422, body: { code: ends.refused } } : { status: 200 };
    expect(created).toMatchObject(refused);
    const env = { API_KEY: shop.apiKey, OPERATION_ID: created.body.operation_id };
    await run('bash', ['-e', '-c', renderCommands(scenario)], env);
    const end = 'refused' in ends ? { status: 'declined', actual_amount: '0.00' } : ends;
    const state = async () => (await shop.state({ merchant_operation_id: id })).body;
    await eventually('the terminal status', async () => (await state()).status === end.status);
    expect(await state()).toMatchObject(end);
  });
});

describe.concurrent('an amount that selects options of the sandbox', () => {
  const call = (path: string, body: object) =>
    request(`${stack.urls.gateway}/v1/${path}`, 'POST', body, { 'x-api-key': demoKey });

  async function upload(operationId: string): Promise<void> {
    const form = new FormData();
    form.set('operation_id', operationId);
    form.set('confirmation_type', 'receipt');
    form.set('receipt', new Blob(['%PDF-1.4\n%%EOF'], { type: 'application/pdf' }), 'receipt.pdf');
    const headers = { 'x-api-key': demoKey };
    const answer = await fetch(`${stack.urls.gateway}/v1/confirm_payment`, {
      method: 'POST',
      body: form,
      headers,
    });
    expect(answer.status).toBe(200);
  }

  it.each(amountScenarios)(
    '$type $amount',
    { timeout },
    async ({ type, amount, receipt, ends }) => {
      const reference = { merchant_operation_id: `${type}-${amount}` };
      const created = await call(type, {
        ...reference,
        client_id: 'client-1',
        method: 'WT_RUB_C2C',
        amount,
        currency: 'RUB',
        number: '2200000012345674',
      });
      const response =
        ends === 'refused' ? { status: 422, code: 'provider_not_accepted' } : { status: 200 };
      expect({ ...created.body, status: created.status }).toMatchObject(response);
      if (receipt) await upload(created.body.operation_id);
      const end = ends === 'refused' ? 'declined' : ends;
      const state = async () => (await call('get_operation_state', reference)).body;
      await eventually('the terminal status', async () => (await state()).status === end);
    },
  );
});

const payoutFile = `merchant_operation_id,client_id,method,amount,currency,number,name,bankname
payout-of-a-file,client-1,WT_RUB_C2C,100.00,RUB,2200000012345674,,
`;

async function checkedBatch(): Promise<string> {
  const response = await fetch(`${stack.urls.gateway}/v1/payout-batches`, {
    method: 'POST',
    body: payoutFile,
    headers: { 'x-api-key': demoKey, 'content-type': 'text/csv' },
  });
  return ((await response.json()) as { batch_id: string }).batch_id;
}

describe.concurrent('the reference', () => {
  it.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    'curl of %s',
    async (_, endpoint) => {
      const reference = { merchant_operation_id: `receipt-for-${endpoint.id}` };
      const body = {
        ...reference,
        client_id: 'c',
        method: 'WT_RUB_C2C',
        amount: '1051.00',
        currency: 'RUB',
      };
      const call = (path: string, sent: object) =>
        request(`${stack.urls.gateway}/v1/${path}`, 'POST', sent, { 'x-api-key': demoKey });
      const { operation_id: id } = (await call('payment', body)).body;
      // A reader has already run the first example of the reference.
      const before = renderCurl(endpoints[0] as Endpoint);
      const endpointId = endpoint.path.includes('{endpoint_id}')
        ? (await call('webhook-endpoints', { url: 'https://shop.example/' })).body.endpoint_id
        : '';
      const batch = endpoint.path.includes('{batch_id}') ? await checkedBatch() : '';
      const env = {
        OPERATION_ID: id,
        BATCH_ID: batch,
        ENDPOINT_ID: endpointId,
        RECEIPT_URL: `${stack.urls.gateway}/livez`,
      };
      await run('bash', ['-e', '-o', 'pipefail', '-c', before], env);
      let printed = '';
      // A reader tries again what is not ready yet.
      await eventually('it is ready', async () => {
        printed = await run('bash', ['-e', '-o', 'pipefail', '-c', renderCurl(endpoint)], env);
        return !printed.includes('"code":"not_ready"');
      });
      expect(printed).not.toContain('"request_id"');
      expect(printed).not.toMatch(/HTTP\/1.1 [45]/);
    },
  );
});
