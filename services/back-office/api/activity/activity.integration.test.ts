import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  activityKinds,
  activityQuery,
  type ActivityFilter,
} from '#projections/operators/activity.ts';
import { acceptance, givenPayment } from '#services/processor/testing/operations.ts';
import { checked, uploaded } from '#shared/domain/operation/testing/receipts.ts';
import { memberActor } from '#shared/domain/member/events.ts';
import { shopStream } from '#shared/domain/shop/events.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { newId } from '#shared/platform/ids.ts';
import { useConsole } from '../../console/testing/console.ts';
import { tokens } from '../../testing/admin.ts';

type Action = { done_at: string; operator: string; kind: string };
type Page = { actions: Action[]; next_cursor: string | null };

const console = useConsole();
let shopId: string;
let operationId: string;
beforeAll(async () => {
  shopId = await console.newShop();
  await console.newShop();
  await console.call(`POST /admin/v1/shops/${shopId}/api-keys`, { body: { label: '=1+1' } });
  await console.call(`POST /admin/v1/shops/${shopId}/adjustments`, {
    body: { adjustment_id: '=HYPERLINK("x")', currency: 'RUB', amount: '5.00', reason: 'x' },
  });
  const after = [uploaded, checked()];
  operationId = await givenPayment(console.store, { shopId, answers: [acceptance()], after });
  await console.call(`POST /admin/v1/operations/${operationId}/review`, {
    token: tokens.operator,
    body: { decision: 'decline', note: 'forged' },
  });
  await console.waitForReadModels();
});

const list = async (query = '') =>
  (await console.call<Page>(`GET /admin/v1/activity${query}`, { token: tokens.auditor })).body;
const kinds = async (query: string) => (await list(query)).actions.map(({ kind }) => kind);

describe('GET /admin/v1/activity', () => {
  test('lists actions newest first, with their operators', async () => {
    const { actions } = await list();
    expect(actions.map(({ operator, kind }) => [operator, kind])).toEqual([
      ['oleg', 'ReviewDecided'],
      ['alice', 'AdjustmentRequested'],
      ['alice', 'ApiKeyIssued'],
      ['alice', 'ShopCreated'],
      ['alice', 'MerchantCreated'],
      ['alice', 'ShopCreated'],
      ['alice', 'MerchantCreated'],
    ]);
    const declined = { operation_id: operationId, outcome: 'decline', shop_id: shopId };
    expect(actions[0]).toMatchObject(declined);
    expect(actions[1]).toMatchObject({ amount: '5.00', currency: 'RUB' });
    expect(Object.keys(actions[0] ?? {})).not.toContain('position');
  });

  test('filters by operator, kind, shop and time', async () => {
    expect(await kinds('?operator=oleg')).toEqual(['ReviewDecided']);
    expect(await kinds('?operator=absent')).toEqual([]);
    expect(await kinds('?kind=ShopCreated')).toHaveLength(2);
    expect(await kinds('?kind=CloseDecided')).toEqual([]);
    expect(await kinds(`?shop_id=${shopId}&kind=ShopCreated`)).toHaveLength(1);
    expect(await kinds('?done_to=2020-01-01T00:00:00Z')).toEqual([]);
    const newest = (await list()).actions[0]?.done_at ?? '';
    expect(await kinds(`?done_from=${newest}`)).toEqual(['ReviewDecided']);
    expect(await kinds(`?done_to=${newest}`)).toHaveLength(6);
  });

  test('returns each action once over all pages, in the order of the analysts’ view', async () => {
    const seen: Action[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.actions);
      cursor = page.next_cursor;
    }
    const { rows } = await sql<{ action: string }>`
      select action from gateway.operator_actions order by done_at desc, position desc`.execute(
      console.db,
    );
    expect(seen.map(({ kind }) => kind)).toEqual(rows.map(({ action }) => action));
  });

  test('includes operators’ actions on merchant members, but none by members', async () => {
    const other = await console.newShop();
    const members = `/admin/v1/shops/${other}/members`;
    const body = { name: 'vera', role: 'admin' };
    const added = await console.call<{ member_id: string }>(`POST ${members}`, { body });
    const { member_id } = added.body;
    await console.call(`POST ${members}/${member_id}/sign-in-links`);
    await console.call(`DELETE ${members}/${member_id}`);
    const key = { key_id: newId(), key_hash: newId(), label: 'x', hint: 'abcd' };
    const stream = shopStream(other);
    await console.store.append({
      stream,
      expectedRevision: (await console.store.read(stream)).length - 1,
      events: toNewEvents([{ type: 'ApiKeyIssued', data: key }], {
        actor: memberActor(member_id),
        correlationId: newId(),
      }),
    });
    const another = await console.newShop();
    await console.waitForReadModels();
    expect(await kinds(`?shop_id=${another}`)).toEqual(['ShopCreated']);
    const { actions } = await list(`?shop_id=${other}`);
    expect(actions).toMatchObject([
      { operator: 'alice', kind: 'MemberRemoved', subject: member_id },
      { operator: 'alice', kind: 'MemberLinkIssued', subject: member_id },
      { operator: 'alice', kind: 'MemberLinkIssued', subject: member_id },
      { operator: 'alice', kind: 'MemberAdded', subject: member_id },
      { operator: 'alice', kind: 'ShopCreated' },
    ]);
    expect(await kinds(`?kind=MemberRemoved`)).toHaveLength(1);
  });

  test('exports a CSV file with formulas escaped', async () => {
    const url = `http://127.0.0.1:${console.port}/admin/v1/activity.csv`;
    const headers = { authorization: `Bearer ${tokens.auditor}` };
    const get = (query = '') => fetch(`${url}${query}`, { headers });
    const text = await (await get()).text();
    expect(text.split('\r\n')[0]).toBe(
      'done_at,actor,token_id,action,outcome,merchant_id,shop_id,shop_name,operation_id,subject,amount,currency',
    );
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
    expect((await (await get('?operator=oleg')).text()).trim().split('\r\n')).toHaveLength(2);
    expect((await get('?kind=Nothing')).status).toBe(400);
  });

  test('has a page that lists actions in both languages', async () => {
    const auditor = await console.visitor(tokens.auditor);
    expect((await auditor.get('/activity?operator=oleg')).text).toMatch(
      /<strong>oleg<\/strong>.*Decision on a receipt: Decline/,
    );
    const russian = await auditor.get('/activity', { 'accept-language': 'ru' });
    expect(russian.text).toContain('Выпущен ключ API');
    expect((await auditor.get('/activity?kind=CloseDecided')).text).toContain('No actions match');
  });
});

describe('the query of a page', () => {
  beforeAll(async () => {
    await sql`insert into gateway.operator_commands
      select 'bulk-' || i, 'ShopChanged', 'operator:bulk-' || i % 9, null, null, 'shop-' || i % 50, null, null, null,
        timestamptz '2026-01-01' + i * interval '1 second', i from generate_series(1, 30000) i`.execute(
      console.db,
    );
    await sql`analyze gateway.operator_commands`.execute(console.db);
  });

  test.each<ActivityFilter>([
    {},
    { operator: 'bulk-3' },
    { operator: 'absent' },
    { kind: 'RoutesReplaced' },
    { shopId: 'shop-7' },
    { before: new Date('2026-01-01T01:00:00Z') },
  ])('uses no sequential scan: %o', async (filter) => {
    type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] };
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
      explain (format json) ${activityQuery({ filter, limit: 50 })}`.execute(console.db);
    const all = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(all)];
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    const nodes = plan ? all(plan) : [];
    const scans = nodes.filter((each) => each['Relation Name'] === 'operator_commands');
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.map((each) => each['Node Type'])).not.toContain('Seq Scan');
  });
});

test('the filter has every kind of action that the view lists', async () => {
  const { rows } = await sql<{ action: string }>`
    select distinct action from gateway.operator_actions`.execute(console.db);
  expect(rows.length).toBeGreaterThan(0);
  for (const { action } of rows) expect(activityKinds).toContain(action);
});
