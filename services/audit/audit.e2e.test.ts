import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { stackForFile } from '#infra/verify/harness/stacks/test-stack.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { commandSandbox, merchantForFile, request } from '#infra/verify/harness/shops/merchant.ts';
import { removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import { auditStream, type AuditRan } from '#shared/domain/audit/events.ts';
import type { AuditSummary } from '#shared/domain/audit/summary.ts';
import { ledgerStream } from '#shared/domain/ledger/events.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { newId } from '#shared/platform/ids.ts';
import { runAuditProcess } from './testing/run-audit.ts';

const dataDir = folderForFile();
const stack = stackForFile({ dataDir });
const merchant = merchantForFile(stack, { routes: [{}, { type: 'payout' }] });

const control = (operationId: string, what: string, body: object) =>
  commandSandbox(stack.urls.sandbox, operationId, what, body);
const auditedWith = (env: Readonly<Record<string, string>>, ...args: string[]) =>
  runAuditProcess(args, { DATA_DIR: dataDir, ...env });
const audited = (...args: string[]) => auditedWith({}, ...args);

async function ended(operationId: string, status: string): Promise<void> {
  const isEnded = async () =>
    (await merchant.state({ operation_id: operationId })).body.status === status;
  await eventually(`it is ${status}`, isEnded);
}

const asMerchant = (path: string, body: object) =>
  request(`${stack.urls.gateway}${path}`, 'POST', body, { 'x-api-key': merchant.apiKey });

/** A payment with metadata, and an endpoint that the merchant adds with its key. */
async function merchantsOwn(): Promise<void> {
  const endpoint = { url: 'http://127.0.0.1:9/other', types: ['endpoint.disabled'] };
  expect(await asMerchant('/v1/webhook-endpoints', endpoint)).toMatchObject({ status: 201 });
  const by = { merchant_operation_id: 'noted', client_id: 'client-1' };
  const payment = { ...by, method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' };
  const noted = await asMerchant('/v1/payment', { ...payment, metadata: { 'order.id': '1042' } });
  const operationId = (noted.body as { operation_id: string }).operation_id;
  await control(operationId, 'settle', { result: 'completed' });
  await ended(operationId, 'completed');
}

/** Payments and payouts that complete, expire, are declined or stay open, and late money. */
async function traffic(): Promise<string[]> {
  await merchantsOwn();
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const paid = (await merchant.pay(`pay-${count}`, '100.00')).body.operation_id as string;
    const out = (await merchant.payOut(`out-${count}`, '10.00')).body.operation_id as string;
    ids.push(paid, out);
    await control(paid, 'settle', count === 1 ? { result: 'expired' } : { result: 'completed' });
    await control(out, 'settle', count === 1 ? { result: 'declined' } : { result: 'completed' });
    await ended(paid, count === 1 ? 'expired' : 'completed');
    await ended(out, count === 1 ? 'declined' : 'completed');
  }
  await control(ids[2] ?? '', 'late-money', { amount: '7.00' });
  await merchant.pay('still-open', '50.00');
  return ids;
}

it('finds nothing on a running gateway, then reports tampering (R18.1, R18.9, R18.12)', async () => {
  const [first = ''] = await traffic();
  const checkpoint = join(dataDir, 'checkpoint.json');
  const startedAt = Date.now();
  const sound = await audited('--json', '--quiet', '--checkpoint', checkpoint);
  expect(sound.stderr).toBe('');
  expect(sound.code).toBe(0);
  const report = JSON.parse(sound.stdout) as Record<string, unknown>;
  expect(report).toMatchObject({
    ok: true,
    operations: 10,
    open_operations: 1,
    money: [{ currency: 'RUB', in: '407.00', out: '30.00' }],
    violations: 0,
    findings: [],
    rows_different: 0,
  });
  expect(report).toMatchObject({
    read_models: { operations: { compared: true }, ledger: { compared: true } },
    rows: { operations: 10, messages: 9 },
    in_flight: 0,
    not_compared: [],
  });
  const asOf = Date.parse(String(report['as_of']));
  expect(asOf).toBeGreaterThanOrEqual(startedAt);
  expect(asOf).toBeLessThanOrEqual(Date.now());

  // Callbacks of the sandbox are verified with the right keys, and never confirmed with wrong
  // ones.
  expect(report['reports']).toMatchObject({ verified: 0, failed: 0, tried: false });
  const { PERSONAL_DATA_KEY = '', SANDBOX_CALLBACK_SECRET = '', EVENT_STORE_URL = '' } = stack.env;
  // If only the log is configured, its PostgreSQL is read as well.
  const keys = { PERSONAL_DATA_KEY, SANDBOX_CALLBACK_SECRET };
  const others = { PERSONAL_DATA_KEY, SANDBOX_CALLBACK_SECRET: `whsec_${'A'.repeat(32)}` };
  const [verified, unread, unknown, before] = await Promise.all([
    auditedWith({ ...keys, EVENT_STORE_URL }, '--json'),
    auditedWith(others),
    audited('--shop', newId()),
    audited('--json', '--at', new Date(0).toISOString()),
  ]);
  expect(verified.code).toBe(0);
  const { reports, summary, ...rest } = JSON.parse(verified.stdout) as {
    reports: Record<string, number>;
    summary: AuditSummary;
  };
  expect(rest).toMatchObject({ rows: { operations: 10 }, rows_different: 0 });
  expect(reports['verified']).toBeGreaterThanOrEqual(9);
  const all = { stored: reports['verified'], failed: 0, erased: 0, no_secret: 0 };
  expect(reports).toMatchObject(all);
  // This run checks more: the callbacks, and what was signed since the first run.
  const unverified = report['summary'] as AuditSummary;
  expect(summary).toMatchObject({ rules: unverified.rules, violated: 0, findings: 0 });
  expect(summary.checked).toBeGreaterThan(unverified.checked);
  expect(summary.checked + summary.not_applicable).toBe(summary.rules);
  expect(unread.code).toBe(3);
  expect(unread.stdout).toContain('none can be decrypted with the provided keys');
  expect(unread.stdout).toContain('The audit is incomplete.');

  expect(unknown.code).toBe(3);
  expect(unknown.stderr).toMatch(/the log has no shop [0-9a-f-]{36}\n$/);
  expect(before.code).toBe(0);
  expect(JSON.parse(before.stdout)).toMatchObject({ events: 0, position: '0' });
  // Each nightly run verifies the newest checkpoint and adds the next one.
  const series = join(dataDir, 'checkpoints');
  mkdirSync(series);
  const page = join(dataDir, 'report.html');
  const recorded = ['--record', 'anna', '--report', page];
  const firstNight = await audited('--checkpoints', series, ...recorded);
  expect(readFileSync(page, 'utf8')).toContain('class="verdict holds"');
  const figures = /^rules: .*$/m.exec(firstNight.stdout)?.[0] ?? 'no figures';
  expect(readFileSync(page, 'utf8')).toContain(figures);
  expect(firstNight.stdout).not.toContain('nothing up to the checkpoint');
  const secondNight = await audited('--checkpoints', series);
  expect(secondNight.stdout).toContain('the log up to the checkpoint is unchanged');
  const checkpointFile = expect.stringMatching(/^checkpoint-/);
  expect(readdirSync(series)).toEqual([checkpointFile, checkpointFile]);
  const again = await audited('--since', checkpoint, '--shop', merchant.shopId);
  expect(again.stdout).toContain('the log up to the checkpoint is unchanged');
  expect(again.stdout).toMatch(/Every one of \d+ checked rules holds/);
  expect(again.code).toBe(0);
  const forged = { ...(JSON.parse(readFileSync(checkpoint, 'utf8')) as object), events: 7 };
  writeFileSync(`${checkpoint}.forged`, JSON.stringify(forged));
  const distrusted = await audited('--json', '--since', `${checkpoint}.forged`);
  expect(distrusted.code).toBe(1);
  expect(JSON.parse(distrusted.stdout)).toMatchObject({
    violated_rules: { 'checkpoint.signature': 1, 'checkpoint.rewritten': 1 },
  });

  const database = new Client({ connectionString: stack.env['DATABASE_URL'] });
  await database.connect();
  for (const change of [
    'gateway.operations set settlement_amount = 99',
    "webhooks.message set body = replace(body, '100.00', '200.00')",
  ])
    await database.query(`update ${change} where operation_id = $1`, [first]);
  await database.end();
  const store = connectEventStore(stack.env['EVENT_STORE_URL'] ?? '');
  // Later audits read the record of that run, and found nothing wrong with it.
  const [run, ...more] = await store.read(auditStream);
  expect(more).toEqual([]);
  expect(run).toMatchObject({ type: 'AuditRan', metadata: { actor: 'auditor:anna' } });
  const holds = { outcome: 'holds', operations: 10, findings: [], not_compared: [] };
  expect(run?.data).toMatchObject(holds);
  const { checkpoint: recordedCheckpoint, rules } = (run as { data: AuditRan }).data;
  expect(recordedCheckpoint?.signed_with).toMatch(/^SHA256:/);
  const rows = rules.find(({ rule }) => rule === 'read_model.differs');
  expect(rows?.looked_at).toBeGreaterThan(10);
  const stream = ledgerStream(merchant.shopId, 'RUB');
  const [newest] = await store.read(stream, { direction: 'backwards', maxCount: 1 });
  const revision = newest?.revision ?? 0;
  const legs = [{ account: 'balance', amount: '1.00' }];
  const bad = { ...(newest?.data as object), kind: 'credit', operation_id: first, legs };
  const metadata = { correlation_id: newId(), actor: 'operator:mallory', schema_version: 1 };
  const events = [{ id: newId(), type: 'EntryPosted', data: bad, metadata }];
  const appended = await store.append({ stream, expectedRevision: revision, events });
  expect(appended.outcome).toBe('appended');

  const csv = join(dataDir, 'findings.csv');
  const files = ['--report', page, '--findings', csv, '--language', 'ru', '--scheduled'];
  const broken = await audited('--json', ...files);
  const signedReport = readFileSync(page, 'utf8');
  expect(signedReport).toContain('<html lang="ru">');
  expect(signedReport).toContain('class="verdict violated"');
  // The report names the event, but not its content.
  expect(signedReport).toContain('operator:mallory');
  expect(readFileSync(csv, 'utf8')).toContain(`,${stream},${revision + 1},`);
  const [, scheduled] = await store.read(auditStream);
  expect(scheduled?.metadata.actor).toBe('service:audit');
  expect(scheduled?.data).toMatchObject({ outcome: 'violated' });
  await store.close();
  expect(broken.code).toBe(1);
  const { findings, violated_rules: violated } = JSON.parse(broken.stdout) as {
    findings: { rule: string; stream: string; revision?: number; message: string }[];
    violated_rules: Record<string, number>;
  };
  for (const rule of ['unbalanced', 'position', 'posted_twice', 'totals'])
    expect(Object.keys(violated)).toContain(`ledger.${rule}`);
  const unbalanced = { rule: 'ledger.unbalanced', stream, revision: revision + 1 };
  expect(findings).toContainEqual(expect.objectContaining(unbalanced));
  const differing = findings.find(({ rule }) => rule === 'read_model.differs');
  expect(differing?.stream).toBe(`gateway.operations ${first}`);
  expect(differing?.message).toBe('settlement_amount is 99.00, the log gives 97.50');
  expect(findings.find(({ rule }) => rule === 'webhook.content')?.stream).toBe(
    `operation-${first}`,
  );

  // With the stack stopped, the audit starts the stores itself and reports the same.
  await merchant.close();
  await stack.stop();
  const alone = await audited();
  expect(alone.code).toBe(1);
  expect(alone.stdout).toContain(
    `ledger.unbalanced  ${stream} revision ${revision + 1}: credit: the legs add up to 1.00`,
  );
  expect(alone.stdout).toMatch(/\d+ of \d+ checked rules are violated:/);

  // The log is lost but its read models are not: the audit must not create an empty log and pass
  // it.
  removeFolder(join(dataDir, 'event-store'));
  const lost = await audited();
  expect(lost.code).toBe(3);
  expect(lost.stderr).toMatch(/no data of an embedded event store is there/);
  expect(existsSync(join(dataDir, 'event-store'))).toBe(false);
});

it('exits with one line of explanation when it cannot run (R18.1)', async () => {
  const page = join(dataDir, 'dead.html');
  const [nowhere, dead, wrong, noShop] = await Promise.all([
    runAuditProcess([], { DATA_DIR: '/nonexistent/gateway' }),
    runAuditProcess(['--report', page], {
      EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
      DATA_DIR: dataDir,
    }),
    runAuditProcess(['--at', 'yesterday'], {}),
    runAuditProcess(['--shop', 'my-shop'], {}),
  ]);
  expect(nowhere.code).toBe(3);
  expect(nowhere.stderr).toMatch(/^The audit failed: No gateway runs on .*\n$/);
  // The report of an earlier run must not remain as the apparent result of this one.
  expect(dead.code).toBe(3);
  expect(dead.stderr).toMatch(/the event store can't be reached \(127\.0\.0\.1:1\)/);
  expect(readFileSync(page, 'utf8')).toContain('The audit failed');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('RFC 3339');
  expect(noShop.code).toBe(2);
});
