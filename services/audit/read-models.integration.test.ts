import { sql, type Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import {
  areCaughtUp,
  useDb,
  useOwnEventStore,
  useProjections,
} from '#projections/testing/stores.ts';
import { views } from '#projections/views/registry.ts';
import { recordAllWebhooks } from '#services/webhooks/ingest/record-all.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { statementStream, type StatementOf } from '#shared/domain/statements/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { audit, type AuditResult } from './audit.ts';
import { createFindings } from './report/findings/findings.ts';
import { connectRawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { testShops } from './testing/shops.ts';
import { setSigningKey } from '#projections/tree-signer/set-key.ts';
import { signTree } from '#projections/tree-signer/sign-tree.ts';
import { createSigningKey } from '#projections/tree-signer/signing-key.ts';
import { generateLog } from './testing/generated-log.ts';
import type { TestLog } from './testing/log.ts';
import { writeLog } from './testing/write-log.ts';

const own = useOwnEventStore();
const empty = useOwnEventStore();

/** Removes fields from one webhook about a declined operation. @returns its former body */
async function removeFieldsFromOne(db: Kysely<unknown>, fields: RegExp): Promise<() => unknown> {
  const { rows } = await sql<{ message_id: string; body: string }>`
    select message_id, body from webhooks.message where type = 'payment.declined'
    order by ordinal limit 1`.execute(db);
  const { message_id, body } = rows[0] ?? { message_id: '', body: '{}' };
  const older: unknown = JSON.parse(body, (key, value) => (fields.test(key) ? undefined : value));
  const before = JSON.stringify(older);
  expect(before.length).toBeLessThan(body.length);
  const write = (text: string) =>
    sql`update webhooks.message set body = ${text} where message_id = ${message_id}`.execute(db);
  await write(before);
  return () => write(body);
}

/** A webhook stays valid in a form that webhooks had when it was recorded, and in no other. */
async function expectOlderForms(db: Kysely<unknown>): Promise<void> {
  const found = async (fields: RegExp) => {
    const restore = await removeFieldsFromOne(db, fields);
    const { violations } = await auditAll(db);
    await restore();
    return violations.map(({ rule }) => rule);
  };
  expect(await found(/^(client_id|created_at|decline_reason)$/)).toEqual([]);
  expect(await found(/^(client_id|created_at)$/)).toEqual([]);
  expect(await found(/^(client_id|decline_reason)$/)).toEqual(['webhook.content']);
  expect(await found(/^decline_reason$/)).toEqual(['webhook.content']);
  // Two days after the first webhook with these fields.
  await sql`update webhooks.message set occurred_at = occurred_at - interval '2 days'
    where message_id = (select message_id from webhooks.message
      where type = 'payment.completed' order by ordinal limit 1)`.execute(db);
  expect(await found(/^(client_id|created_at)$/)).toEqual(['webhook.content']);
  await sql`update webhooks.message set occurred_at = occurred_at + interval '2 days'
    where message_id = (select message_id from webhooks.message
      where type = 'payment.completed' order by ordinal limit 1)`.execute(db);
}

/** Moves a message of one of several endpoints, which must be reported as missing (R14.17). */
async function expectMissingMessage(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ message_id: string; event_id: string; message: string }>`
    select message_id, event_id, to_jsonb(m)::text as message from webhooks.message m
    where other_endpoint_id = 'shop-2-endpoint' order by ordinal limit 1`.execute(db);
  const [lost] = rows;
  if (!lost) throw new Error('the second endpoint is sent nothing');
  await sql`update webhooks.message set other_endpoint_id = 'nobody'
    where message_id = ${lost.message_id}`.execute(db);
  const { violations } = await auditAll(db);
  const rules = violations.map(({ rule }) => rule);
  expect(rules.toSorted()).toEqual(['webhook.missing', 'webhook.surplus']);
  const missing = violations.find(({ rule }) => rule === 'webhook.missing');
  expect(missing?.message).toContain(`no message ${lost.event_id} for endpoint shop-2-endpoint`);
  await sql`update webhooks.message set other_endpoint_id = 'shop-2-endpoint'
    where message_id = ${lost.message_id}`.execute(db);
}

/** Webhooks about a disabled endpoint are audited like those of operations (R14.19). */
async function expectDisabledNotices(db: Kysely<unknown>): Promise<void> {
  const notice = sql`where type = 'endpoint.disabled' and body like '%"gone"%'`;
  const planted = async (change: string, back: string) => {
    await sql`update webhooks.message set ${sql.raw(change)} ${notice}`.execute(db);
    const { violations } = await auditAll(db);
    await sql`update webhooks.message set ${sql.raw(back)} where type = 'endpoint.disabled'`.execute(
      db,
    );
    return violations.map(({ rule, stream }) => `${rule} ${stream}`).toSorted();
  };
  const urlFrom = (from: string, to: string) =>
    `body = replace(body, 'https://${from}.example/', 'https://${to}.example/')`;
  const changedUrl = await planted(urlFrom('b', 'c'), urlFrom('c', 'b'));
  expect(changedUrl).toEqual(['webhook.content shop-shop-2']);
  expect(await planted(`other_endpoint_id = 'nobody'`, 'other_endpoint_id = null')).toEqual([
    'webhook.missing shop-shop-2',
    'webhook.surplus shop-shop-2',
  ]);
}

/** A row that is signed and sent, though no event requires it, or not as it is written (R18.5). */
async function expectForgedMessages(db: Kysely<unknown>): Promise<void> {
  const insert = async (id: string, row: Record<string, string>) => {
    const into = {
      message_id: id,
      shop_id: 'shop-1',
      sequence: 1,
      occurred_at: '2020-01-01',
      ...row,
    };
    await sql`insert into webhooks.message (${sql.join(Object.keys(into).map((name) => sql.ref(name)))})
      values (${sql.join(Object.values(into))})`.execute(db);
  };
  const found = async () => (await auditAll(db)).violations.map(({ rule }) => rule);
  const timestamp = '2020-01-01T00:00:00.000Z';
  const ping = (id: string, more: object = {}) =>
    JSON.stringify({
      id,
      type: 'ping',
      timestamp,
      sequence: 1,
      data: { shop_id: 'shop-1', ...more },
    });
  await insert('ping', { type: 'ping', body: ping('ping') });
  expect(await found()).toEqual([]);
  const { rows } = await sql<{ body: string }>`select body from webhooks.message
    where type = 'payment.declined' order by ordinal limit 1`.execute(db);
  const paid = (rows[0]?.body ?? '').replaceAll('declined', 'completed');
  await insert('forged', { type: 'payment.completed', body: paid });
  await insert('forged-ping', { type: 'ping', body: paid });
  await insert('talkative-ping', { type: 'ping', body: ping('talkative-ping', { operation: {} }) });
  await insert('future', { type: 'ping', body: paid, occurred_at: '2099-01-01' });
  expect(await found()).toEqual(Array.from({ length: 4 }, () => 'webhook.surplus'));
  await sql`delete from webhooks.message where message_id = 'ping' or message_id = 'future'
    or message_id like '%forged%' or message_id = 'talkative-ping'`.execute(db);
  await expectMembersOnce(db);
}

/** A stored body may have its members in another order, but none of them twice (R18.5). */
async function expectMembersOnce(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ message_id: string; body: string }>`
    select message_id, body from webhooks.message
    where type = 'payment.declined' order by ordinal limit 1`.execute(db);
  const { message_id, body } = rows[0] ?? { message_id: '', body: '{}' };
  const foundWith = async (text: string) => {
    await sql`update webhooks.message set body = ${text} where message_id = ${message_id}`.execute(
      db,
    );
    return (await auditAll(db)).violations.map(({ rule }) => rule);
  };
  const twice = body.replace('"status":', '"status":"completed","status":');
  expect(await foundWith(twice)).toEqual(['webhook.content']);
  const typeFirst = body.replace('{', '{"type":"payment.completed",');
  expect(await foundWith(typeFirst)).toEqual(['webhook.content']);
  expect(await foundWith(body.replaceAll('":"', '" : "'))).toEqual(['webhook.content']);
  const { data, ...head } = JSON.parse(body) as { data: object };
  expect(await foundWith(JSON.stringify({ data, ...head }))).toEqual([]);
  expect(await foundWith(body)).toEqual([]);
}

/** What people read, and what would change rows later, is as the gateway made it (R18.5). */
async function expectReplacedViews(db: Kysely<unknown>): Promise<void> {
  const found = async () => {
    const { violations, result } = await auditAll(db);
    expect(result.outside?.notCompared).toEqual([]);
    return violations.map(({ rule, stream }) => `${rule} ${stream}`);
  };
  const text = views.find(({ name }) => name === 'suspense_open')?.select ?? '';
  const replace = (as: string) =>
    sql.raw(`create or replace view gateway.suspense_open as ${as}`).execute(db);
  await replace(`select * from (${text}) as shown where false`);
  await sql`create function gateway.raise() returns trigger language plpgsql as
    'begin new.balance := new.balance + 1000; return new; end'`.execute(db);
  await sql`create trigger raised before update on gateway.ledgers for each row
    execute function gateway.raise()`.execute(db);
  await sql`create rule kept as on delete to webhooks.attempt do instead nothing`.execute(db);
  expect(await found()).toEqual([
    'read_model.differs gateway.ledgers',
    'read_model.differs webhooks.attempt',
    'read_model.differs gateway.suspense_open',
  ]);
  await replace(text);
  await sql`drop trigger raised on gateway.ledgers`.execute(db);
  await sql`drop rule kept on webhooks.attempt`.execute(db);
  expect(await found()).toEqual([]);
}

/** What the tables say of deliveries does not contradict itself, or the log (R18.5). */
async function expectDeliveries(db: Kysely<unknown>): Promise<void> {
  let notes: string[] = [];
  const found = async () => {
    const { violations, result } = await auditAll(db);
    ({ notes } = result);
    return violations.map(({ rule, stream }) => `${rule} ${stream}`);
  };
  const { rows } = await sql<{ id: string; at: string }>`
    select message_id as id, occurred_at::text as at from webhooks.message
    where endpoint_id = 'shop-1' order by ordinal limit 1`.execute(db);
  const [{ id, at } = { id: '', at: '' }] = rows;
  const attempted = (status_code: number) =>
    sql`insert into webhooks.attempt (message_id, number, started_at, duration_ms, url, status_code)
      values (${id}, ${status_code}, ${at}, 5, 'https://a.example/', ${status_code})`.execute(db);
  await sql`update webhooks.message set status = 'delivered', due_at = null, finished_at = now()
    where message_id = ${id}`.execute(db);
  await attempted(500);
  const since = (time: string) =>
    sql`insert into webhooks.failing_endpoint (endpoint_id, shop_id, since)
      values ('shop-1', 'shop-1', ${time})
      on conflict (endpoint_id) do update set since = excluded.since`.execute(db);
  await since('2020-01-01');
  await sql`insert into webhooks.reconciliation (name, position)
    values ('operations', 999999999999)`.execute(db);
  expect(await found()).toEqual([
    'webhook.delivery webhooks.failing_endpoint shop-1',
    `webhook.delivery webhooks.message ${id}`,
    'read_model.ahead webhooks.reconciliation',
  ]);
  await attempted(204);
  await since(at);
  await sql`update webhooks.reconciliation set position = 1`.execute(db);
  expect(await found()).toEqual([]);
  const changed = async (change: string) => {
    await sql`update webhooks.attempt set ${sql.raw(change)} where status_code = 204`.execute(db);
    const rules = await found();
    await sql`update webhooks.attempt set started_at = ${at}, url = 'https://a.example/'`.execute(
      db,
    );
    return rules;
  };
  const ofShop = 'webhook.delivery shop-shop-1';
  // A restored log may not have the URL.
  expect(await changed("url = 'https://other.example/'")).toEqual([]);
  expect(notes).toContainEqual(expect.stringMatching(/^1 attempts of webhooks went to a URL/));
  expect(await changed("started_at = started_at - interval '1 hour'")).toEqual([
    ofShop,
    `webhook.delivery webhooks.message ${id}`,
  ]);
  await sql`delete from webhooks.attempt`.execute(db);
  await sql`delete from webhooks.failing_endpoint`.execute(db);
  await sql`delete from webhooks.reconciliation`.execute(db);
  await sql`update webhooks.message set status = 'pending', due_at = now(), finished_at = null
    where message_id = ${id}`.execute(db);
}

/** The audit's figures equal those of the pages (R18.16). */
async function expectPageFigures(db: Kysely<unknown>, { openOperations, money }: AuditResult) {
  const { rows: counted } = await sql<{ open: string }>`select count(*) as open
    from gateway.operations
    where status in ('creating', 'pending', 'awaiting_confirmation', 'manual_check')`.execute(db);
  expect(String(openOperations)).toBe(counted[0]?.open);
  const { rows } = await sql`select currency, sum(balance)::text as balance,
      sum(reserved)::text as reserved
    from gateway.balances group by currency order by currency`.execute(db);
  const figures = money.map(({ currency, balance, reserved }) => ({ currency, balance, reserved }));
  expect(figures).toEqual(rows);
}

async function auditAll(
  db: Kysely<unknown>,
  more: { shopId?: string } = {},
  { log: { url }, store } = own,
) {
  const findings = createFindings(undefined, more.shopId);
  const log = connectRawLog(url);
  try {
    const outside = { db, store };
    const result = await audit({ log, findings, outside, inMemory: 40, graceMs: 0, ...more });
    // The example statements only provide rows to compare: they are not consistent.
    const isExample = /^(statement\.(whole|closed)|authority\.role)$/;
    // The log is seconds old, and an endpoint of it has failed for an hour.
    const isTooEarly = (message: string) => message.includes('before it was there');
    const violations = findings
      .listed()
      .filter(({ rule, message }) => !(rule === 'setup.order' && isTooEarly(message)))
      .filter(({ rule, stream }) => !(stream.startsWith('statement-') && isExample.test(rule)))
      .filter(({ rule }) => rule !== 'operation.overdue' && !rule.startsWith('payout_file.'));
    return { result, violations, counts: findings.counts() };
  } finally {
    await log.close();
  }
}

it('matches read models and webhooks with the log, and reports every change (R18.5)', async () => {
  const log = generateLog({ seed: 11, operations: 200 });
  for (const { type, data } of storedExamples.statement)
    log.append({ stream: statementStream(data as StatementOf), type, data });
  appendPayoutFiles(log);
  const ofEndpoint = { stream: shopStream('shop-2'), actor: 'service:webhooks' };
  const endpoint_id = 'shop-2-endpoint';
  const since = '2026-01-31T12:00:00.000Z';
  log.append({ ...ofEndpoint, type: 'WebhookFailing', data: { endpoint_id, since } });
  log.append({ ...ofEndpoint, type: 'WebhookDisabled', data: { endpoint_id, reason: 'gone' } });
  await writeLog(own.store, log.events);
  const { db } = await useDb();
  const projections = useProjections({ db, store: own.store });
  await recordAllWebhooks(own.store, db);
  const isCaughtUp = () => areCaughtUp(projections, db, own.store);
  await eventually('the read models have all', isCaughtUp);
  await signAll(db);
  await eventually('the checkpoints are there', isCaughtUp);

  await expectOlderForms(db);
  const clean = await auditAll(db);
  expect(clean.violations).toEqual([]);
  expect(clean.result.outside?.different).toBe(0);
  const rows: Record<string, number> = clean.result.outside?.rows ?? {};
  // A generated log approves no money before it arrives (see suspense-rows.test.ts), and no shop
  // has 256 entries (see projections/ledger/tree.test.ts).
  const without = ['ledger_tree_nodes', 'approved_money'];
  expect(Object.keys(rows).filter((name) => rows[name] === 0)).toEqual(without);
  expect(Object.keys(rows)).toHaveLength(26);
  expect(rows['payout_batches']).toBe(4);
  expect(clean.result.outside?.notCompared).toEqual([]);
  const oneShop = await auditAll(db, { shopId: 'shop-2' });
  expect(oneShop.violations).toEqual([]);
  expect(oneShop.result.outside?.rows['operations']).toBeLessThan(rows['operations'] ?? 0);
  await expectFiguresPerShop(db, clean.result);
  await expectPageFigures(db, clean.result);
  await expect(auditAll(db, { shopId: 'shop-9' })).rejects.toThrow('the log has no shop shop-9');

  await expectForgedMessages(db);
  await expectReplacedViews(db);
  await expectDeliveries(db);
  await expectMissingMessage(db);
  await expectDisabledNotices(db);
  await projections.stop();
  await expectOtherLogReported(db, rows);
  await expectOtherVersionNotCompared(db);
  await sql`delete from gateway.legs where ctid = (select max(ctid) from gateway.legs)`.execute(db);
  const unchanged = ['messages', 'merchants', ...without];
  const tables = Object.keys(rows).filter((name) => !unchanged.includes(name));
  for (const table of tables) {
    const change = `update gateway.${table} set ${changes[table] ?? ''} where ctid = (select min(ctid) from gateway.${table})`;
    await sql.raw(change).execute(db);
  }
  await sql`insert into gateway.status_history select gen_random_uuid(), number, status, entered_at, entered_by,
    left_at, duration, next_status, revision, position from gateway.status_history limit 1`.execute(
    db,
  );
  const messages = await sql<{ id: string }>`select message_id as id from webhooks.message
    where operation_id is not null order by ordinal limit 3`.execute(db);
  const [changed, removed, extra] = messages.rows.map(({ id }) => id);
  await sql`update webhooks.message set body = replace(body, '"status"', '"Status"')
    where message_id = ${changed}`.execute(db);
  await sql`delete from webhooks.message where message_id = ${removed}`.execute(db);
  await sql`update webhooks.message set message_id = 'other', sequence = 99
    where message_id = ${extra}`.execute(db);

  await sql`update projections.status set state = 'stopped', failed_stream = 'shop-x', failed_revision = 3,
    failed_reason = 'unknown shop event' where name = 'shops'`.execute(db);

  const { violations } = await auditAll(db);
  const stopped = { rule: 'read_model.stopped', stream: 'shop-x', revision: 3 };
  expect(violations).toContainEqual(expect.objectContaining(stopped));
  const reported = violations.map(({ rule, stream }) => `${rule} ${stream.split(' ')[0] ?? ''}`);
  for (const table of tables) expect(reported).toContain(`read_model.differs gateway.${table}`);
  expect(reported).toContain('read_model.missing gateway.legs');
  expect(reported).toContain('read_model.surplus gateway.status_history');
  const counted = (code: string) => violations.filter(({ rule }) => rule === code).length;
  expect(counted('webhook.missing')).toBe(2);
  expect([counted('webhook.content'), counted('webhook.surplus')]).toEqual([1, 1]);
  const [operation] = violations.filter(({ stream }) => stream.startsWith('gateway.operations'));
  expect(operation?.message).toMatch(/^client_id is somebody, the log gives /);
});

/** Payout files: finished, running, only checked, and one with an error. */
function appendPayoutFiles({ append }: Pick<TestLog, 'append'>): void {
  const shop_id = 'shop-1';
  const member = { member_id: 'anna', name: 'Anna', role: 'admin' };
  append({ stream: `members-${shop_id}`, type: 'MemberAdded', data: member });
  const check = (batch_id: string, rows: number, more: object = {}) => {
    const data = { batch_id, shop_id, rows, total: { RUB: '2.00' }, errors: [], ...more };
    append({ stream: `payout-batch-${batch_id}`, type: 'PayoutBatchChecked', data });
  };
  const run = (batch_id: string, ...codes: (string | undefined)[]) => {
    const of = { batch_id, shop_id };
    const confirmed = { type: 'PayoutBatchConfirmed', actor: 'member:anna', data: of };
    append({ stream: 'payout-runs', ...confirmed });
    const results = codes.map((code, at) => ({
      merchant_operation_id: `${batch_id}-${at}`,
      operation_id: `operation-${at}`,
      ...(code !== undefined && { code }),
    }));
    const stream = `payout-batch-${batch_id}`;
    append({ stream, type: 'PayoutBatchRowsCreated', data: { ...of, results } });
  };
  check('done', 2);
  run('done', undefined, 'insufficient_funds');
  const of = { batch_id: 'done', shop_id };
  append({ stream: 'payout-runs', type: 'PayoutBatchFinished', data: of });
  check('running', 3);
  run('running', undefined);
  check('checked', 1, { total: { USD: '1.00', RUB: '3.00' } });
  const wrong = { row: 1, pointer: '/amount', code: 'amount_invalid' };
  check('with-error', 1, { total: {}, errors: [wrong] });
}

/** Signs the current tree of each ledger. */
async function signAll(db: Kysely<unknown>): Promise<void> {
  const key = createSigningKey(Buffer.alloc(32, 7).toString('base64'));
  const validFrom = await setSigningKey(own.store, key, Date.now);
  const { rows } = await sql<{ shopId: string; currency: string; newest: Date }>`
    select shop_id as "shopId", currency, newest_at as newest from gateway.ledger_trees`.execute(
    db,
  );
  for (const { newest, ...tree } of rows) {
    const completeTo = Math.max(validFrom, newest.getTime() + 1);
    const times = { validFrom, now: Date.now, completeTo, everyMs: 0 };
    const signing = { db, store: own.store, key, ...times };
    expect(await signTree(signing, tree)).toBe('signed');
  }
}

async function expectFiguresPerShop(db: Kysely<unknown>, whole: AuditResult): Promise<void> {
  const shops = await Promise.all(testShops.map((shopId) => auditAll(db, { shopId })));
  const sum = (of: (result: AuditResult) => number) =>
    shops.reduce((total, { result }) => total + of(result), 0);
  expect(sum(({ operations }) => operations)).toBe(whole.operations);
  expect(sum(({ entries }) => entries)).toBe(whole.entries);
  expect(sum(({ ledgers }) => ledgers)).toBe(whole.ledgers);
  // Events of no shop: the merchant, the signing key, the statements and system events.
  const eventsOfNoShop = 2 + storedExamples.statement.length;
  expect(sum(({ events }) => events)).toBe(whole.chain.events - eventsOfNoShop);
  for (const { result } of shops)
    expect(result.operations).toBe(result.outside?.rows['operations']);
}

/** Audits the tables against an empty log, as if it were lost, and against an older backup. */
async function expectOtherLogReported(
  db: Kysely<unknown>,
  rows: Record<string, number>,
): Promise<void> {
  const lost = await auditAll(db, {}, empty);
  const rules = Map.groupBy(lost.violations, ({ rule }) => rule);
  expect(rules.get('read_model.ahead')).toHaveLength(6);
  expect(rules.get('webhook.surplus')).toHaveLength(50);
  expect(rules.get('read_model.surplus')?.length).toBeGreaterThan(50);
  const { messages, ...tables } = rows;
  const all = Object.values(tables).reduce((sum, count) => sum + count, 0);
  expect(messages).toBeGreaterThan(50);
  expect(lost.result).toMatchObject({ chain: { events: 0 }, outside: { different: all } });
  // All rows are counted, and of each table the first 50 are listed.
  expect(lost.counts['read_model.surplus']).toBe(all);

  // Restored from an older backup and continued: as many events, but different ones.
  await writeLog(empty.store, generateLog({ seed: 12, operations: 210 }).events);
  const other = await auditAll(db, {}, empty);
  const ahead = other.violations.filter(({ rule }) => rule === 'read_model.ahead');
  expect(ahead).toHaveLength(6);
}

/** A table with a column that this version does not know, and one with another name. */
async function expectOtherVersionNotCompared(db: Kysely<unknown>): Promise<void> {
  await sql`alter table gateway.legs add column of_later_version text`.execute(db);
  await sql`alter table gateway.approved_money rename to approved_money_later`.execute(db);
  const { result, violations } = await auditAll(db);
  await sql`alter table gateway.legs drop column of_later_version`.execute(db);
  await sql`alter table gateway.approved_money_later rename to approved_money`.execute(db);
  expect(violations).toEqual([]);
  const notCompared = (name: string) =>
    `tables of the read model ${name} have other columns: run the audit of their version`;
  expect(result.outside?.notCompared).toEqual([notCompared('operations'), notCompared('suspense')]);
  expect(result.outside?.readModels).toMatchObject({
    operations: { compared: false },
    ledger: { compared: true },
  });
}

it('reports read models and webhooks that were never built (R18.6)', async () => {
  const { db } = await useDb();
  const { result, violations } = await auditAll(db);
  expect(result.outside?.notCompared).toHaveLength(6);
  expect(new Set(violations.map(({ rule }) => rule))).toEqual(new Set(['webhook.missing']));
  expect(result.outside?.different).toBe(0);
});

const changes: Record<string, string> = {
  shops: "name = 'other'",
  route_history: 'valid_to = now()',
  payout_batches: 'failed = failed + 1',
  operator_commands: "actor = 'somebody'",
  operation_decisions: 'decided_at = now()',
  operations: "client_id = 'somebody'",
  status_history: "entered_by = 'somebody'",
  legs: 'amount = amount + 0.01',
  returned_legs: 'amount = amount + 0.01',
  uploaded_receipts: 'size_bytes = 7',
  journal_entries: 'balance_after = balance_after + 1',
  ledger_operations: "merchant_operation_id = 'other'",
  ledger_trees: "frontier = ''",
  ledger_checkpoints: "root = 'other'",
  ledgers: 'commission = commission + 0.01',
  reservations: 'amount = amount + 0.01',
  evidence: "status = 'unknown'",
  receipts: 'file = not file',
  suspense: "note = 'nothing'",
  statements: 'lines = lines + 1',
  statement_lines: 'amount = amount + 0.01',
  statement_closings: "note = 'nothing'",
};
