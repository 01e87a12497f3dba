import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { query } from '#infra/verify/harness/stores/database.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import {
  commandSandbox,
  setUpMerchant,
  type TestMerchant,
} from '#infra/verify/harness/shops/merchant.ts';
import { typeLine } from '#infra/verify/harness/processes/terminal.ts';
import {
  stackEnvironment,
  startTestStack,
  type TestStack,
} from '#infra/verify/harness/stacks/test-stack.ts';
import { auditReportOf, runAuditProcess } from '#services/audit/testing/run-audit.ts';
import { root } from './testing/manifests.ts';

/** What changes data: a statement of SQL, or a program with its option. */
const changesData =
  /\b(?:truncate|delete from|drop (?:table|schema)|update \w+\.|pg_restore|pg_terminate_backend|rm -r|projections -- rebuild|rebuild [a-z]|npm run move|--finish|--reopen|remove `?DATA_DIR)/i;

/** Each such text of docs/operators, and the test that runs it with the audit after it. */
const here = 'infra/verify/deploy/data-changes.e2e.test.ts';
const move = 'infra/move/move.e2e.test.ts';
const tested: Readonly<Record<string, string>> = {
  'npm run projections -- rebuild': here,
  'npm run projections -- rebuild ledger': here,
  'rebuild processor': here,
  'rebuild webhooks.relay': here,
  'rebuild webhooks.reconcile': here,
  'rebuild admin': here,
  'truncate console.session': here,
  'npm run move': move,
  '--finish': move,
};
/** Those that no test can run here, and why. */
const notTested: Readonly<Record<string, string>> = {
  '--reopen': 'infra/move/finish.e2e.test.ts runs it, on a log without a gateway to audit',
  pg_restore: 'needs client programs of the embedded PostgreSQL’s version, which it does not have',
  pg_terminate_backend: 'changes no data',
};

/** All code in a document: spans and lines of blocks. */
function codeIn(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const prose = text.replaceAll(/^```\w*\n.*?^```$/gms, '');
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans].map((code) => code.replaceAll(/\s+/g, ' ').trim());
}

it('knows every instruction of the operators’ documents that changes data', () => {
  const known = [...Object.keys(tested), ...Object.keys(notTested)];
  const folder = join(root, 'docs/operators');
  const unknown = readdirSync(folder).flatMap((name) =>
    codeIn(readFileSync(join(folder, name), 'utf8'))
      .filter((code) => changesData.test(code))
      .filter((code) => !known.some((each) => code.includes(each)))
      .map((code) => `${name}: ${code}`),
  );
  expect(unknown).toEqual([]);
  for (const file of new Set(Object.values(tested)))
    expect(readFileSync(join(root, file), 'utf8')).toContain('runAuditProcess');
});

describe('an instruction that changes data leaves books that the audit confirms, and repeats no webhook', () => {
  const dataDir = join(folderForFile(), 'data');
  let env: Record<string, string>;
  let stack: TestStack;
  let merchant: TestMerchant;
  const start = () => startTestStack({ dataDir, env });
  const run = (text: string) =>
    query<Record<string, unknown>>(stack.env['DATABASE_URL'] ?? '', text);
  const type = (line: string) => typeLine(stack, line, { excerpt: () => '' });

  async function complete(name: string): Promise<string> {
    const { body } = await merchant.pay(name);
    await commandSandbox(stack.urls.sandbox, body.operation_id);
    await merchant.waitForDelivery(({ operationId }) => operationId === body.operation_id);
    return body.operation_id as string;
  }
  /** What harm was done: by the audit, and by the webhooks that came after one more payment. */
  async function harm(name: string) {
    const before = merchant.deliveries.length;
    await complete(name);
    await stack.waitReady();
    const { code, stdout, stderr } = await runAuditProcess(['--json'], { DATA_DIR: dataDir });
    const ids = merchant.deliveries.map(({ id }) => id);
    return {
      audit: code === 0 ? 'passes' : stdout + stderr,
      webhooks: merchant.deliveries.length - before,
      repeated: ids.length - new Set(ids).size,
    };
  }
  const none = { audit: 'passes', webhooks: 1, repeated: 0 };

  beforeAll(async () => {
    env = await stackEnvironment(dataDir);
    stack = await start();
    merchant = await setUpMerchant(stack);
    for (const name of ['one', 'two', 'three']) await complete(name);
  });
  afterAll(async () => {
    await merchant?.close();
    await stack?.stop();
  });

  it('rebuild of everything, beside the running gateway (recovery.md, growing.md)', async () => {
    expect(await type('npm run -s projections -- rebuild')).toContain(
      'the new tables are in place',
    );
    expect(await harm('rebuilt')).toEqual(none);
  });

  it.each(['processor', 'webhooks.relay', 'webhooks.reconcile', 'admin'])(
    'rebuild of %s by its name (recovery.md)',
    async (name) => {
      expect(await type(`npm run -s projections -- rebuild ${name}`)).toContain(`${name}: `);
      expect(await harm(`after-${name}`)).toEqual(none);
    },
  );

  it('rebuild of one read model after its table was changed (runbook.md)', async () => {
    await run(`update gateway.journal_entries set actor = 'somebody'
      where shop_id = '${merchant.shopId}' and revision = 0`);
    const { code, stdout } = await runAuditProcess(['--json'], { DATA_DIR: dataDir });
    expect([code, auditReportOf({ code, stdout, stderr: '' })?.violated_rules]).toEqual([
      1,
      { 'read_model.differs': 1 },
    ]);
    const output = await type('npm run -s projections -- rebuild ledger');
    expect(output).toContain('1 rows of the live tables were not what the log gives');
    expect(await harm('repaired')).toEqual(none);
  });

  it('truncate console.session (keys.md)', async () => {
    await run('truncate console.session');
    expect(await harm('signed-out')).toEqual(none);
  });

  it('removal of the passwords of the embedded stores, and a restart (keys.md)', async () => {
    for (const file of ['postgres/services-password', 'nats/password']) rmSync(join(dataDir, file));
    await stack.stop();
    stack = await start();
    expect(await harm('new-passwords')).toEqual(none);
  });
});

// The reason for docs/operators/sizing.md, "What not to delete".
it('shows why no row may be deleted: the audit reports it, and its webhook is sent again', async () => {
  const stack = await startTestStack();
  const merchant = await setUpMerchant(stack);
  const run = (text: string) => query(stack.env['DATABASE_URL'] ?? '', text);
  try {
    const { body } = await merchant.pay('deleted');
    const id: string = body.operation_id;
    await commandSandbox(stack.urls.sandbox, id);
    await merchant.waitForDelivery(({ operationId }) => operationId === id);
    const isRecorded = async () =>
      (await run(`select from webhooks.message where status = 'delivered'`)).length === 1;
    await eventually('its delivery is recorded', isRecorded);
    await run('delete from webhooks.attempt');
    await run('delete from webhooks.message');
    await run(`delete from gateway.operations where operation_id = '${id}'`);
    const { code, stdout } = await runAuditProcess(['--json'], { DATA_DIR: stack.dataDir });
    expect(code).toBe(1);
    for (const rule of ['webhook.missing', 'read_model.missing']) expect(stdout).toContain(rule);
    await run('delete from webhooks.reconciliation');
    const isSentAgain = () =>
      merchant.deliveries.filter(({ operationId }) => operationId === id).length > 1;
    await eventually('it is sent again', isSentAgain);
  } finally {
    await merchant.close();
    await stack.stop();
  }
});
