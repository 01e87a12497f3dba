import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { shopForFile } from './support/shop.ts';
import { folderForFile } from '#infra/verify/harness/tests/for-file.ts';
import type { Json } from './support/answer.ts';
import { admin, control, sendRequest, target } from './support/http.ts';
import { recordsOf } from './support/records.ts';
import { timeAfterNow, until } from './support/until.ts';

const begin = '2020-01-01T00:00:00Z';
const folder = folderForFile();

const number = '4111111111111111';
const holder = 'Иван Петров';

const shop = shopForFile();
let paid: Json;
let first: Json;
let second: Json;
let idle: Json;
let euros: Json;
let keys: Json;

const adjust = async (currency: string, amount: string) => {
  const answer = await admin('POST', `/shops/${shop.shopId}/adjustments`, {
    adjustment_id: `adj-${crypto.randomUUID()}`,
    currency,
    amount,
    reason: 'a correction',
  });
  expect(answer.status, answer.text).toBe(201);
};

/** A statement, once a checkpoint covers its end. */
async function statement(query: string): Promise<Json> {
  const path = `/v1/statements?${query}`;
  const answer = await until(path, async () => shop.call(path), {
    holds: ({ status }) => status !== 503,
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

beforeAll(async () => {
  paid = await shop.made(shop.pay({ merchant_operation_id: 'order "ü"' }));
  await control(paid.operation_id, 'settle', { result: 'completed' });
  await shop.waitFor(paid.operation_id, 'completed');
  const payout = await shop.made(
    shop.payout({ client_id: 'client-of-payout', number, name: holder }),
  );
  await control(payout.operation_id, 'settle', { result: 'completed' });
  await shop.waitFor(payout.operation_id, 'completed');
  const to = await timeAfterNow();
  first = await statement(`from=${begin}&to=${to}`);
  idle = await statement(`from=${to}&to=${await timeAfterNow()}`);
  await adjust('EUR', '7.00');
  await adjust('RUB', '-1.50');
  const end = await timeAfterNow();
  second = await statement(`currency=RUB&from=${to}&to=${end}`);
  euros = await statement(`currency=EUR&from=${to}&to=${end}`);
  ({ body: keys } = await shop.call('/v1/keys'));
});

const programs: [string, string, string[]][] = [
  ['TypeScript', process.execPath, ['clients/typescript/verify-statement']],
];

/** Runs the program with which merchants verify statements. */
async function verified(
  [, program, start]: (typeof programs)[number],
  { statement: of, previous }: { statement: Json; previous?: Json },
): Promise<{ code: unknown; text: string }> {
  const file = (name: string, content: Json) => {
    const path = join(folder, `${name}-${crypto.randomUUID()}.json`);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const args = [...start, file('statement', of), '--keys', file('keys', keys)];
  if (previous) args.push('--previous', file('previous', previous));
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return new Promise((resolve) => {
    execFile(program, args, { cwd }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, text: stdout }),
    );
  });
}

describe('R25: statements', () => {
  it('contain every entry of the period and exact balances (R25.1, R25.2)', () => {
    expect(first).toMatchObject({
      version: 2,
      shop_id: shop.shopId,
      currency: 'RUB',
      opening: '0.00',
      before: null,
      checkpoint: { origin: `${shop.shopId}/RUB` },
    });
    expect(first.entries).toMatchObject([
      {
        operation_id: paid.operation_id,
        merchant_operation_id: 'order "ü"',
        kind: 'credit',
        amount: paid.settlement_amount,
        reserved: '0.00',
        balance: paid.settlement_amount,
        proof: { index: 0 },
      },
      { kind: 'reserve', proof: { index: 1 } },
      { kind: 'capture', amount: '0.00', reserved: '0.00', proof: { index: 2 } },
    ]);
    expect(first.closing).toBe(first.entries.at(-1).balance);
    const { entry_id } = first.entries.at(-1);
    expect(second).toMatchObject({ opening: first.closing, before: { entry_id } });
    const [entry] = second.entries;
    expect(entry).toMatchObject({ kind: 'adjustment', amount: '-1.50', proof: { index: 3 } });
    expect(entry).toMatchObject({ operation_id: null, merchant_operation_id: null });
    expect(euros).toMatchObject({
      opening: '0.00',
      closing: '7.00',
      before: null,
      entries: [{ balance: '7.00', proof: { index: 0 } }],
    });
  });

  it('are the same at each read (R25.1)', async () => {
    expect(await statement(`from=${begin}&to=${first.to}&currency=RUB`)).toEqual(first);
  });

  it('are available as CSV, with opening and closing balance as rows (R25.7)', async () => {
    const query = `currency=RUB&from=${first.from}&to=${first.to}`;
    const answer = await shop.call(`/v1/statements.csv?${query}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const atOf = (time: string) => time.replace('Z', '+00:00');
    const edge = {
      entry_id: '',
      operation_id: '',
      merchant_operation_id: '',
      amount: '',
      reserved: '',
    };
    const rows = [
      { ...edge, kind: 'opening', balance: first.opening, at: atOf(first.from) },
      ...first.entries.map(({ leaf: _leaf, proof: _proof, ...entry }: Json) => ({
        ...entry,
        at: atOf(entry.at),
      })),
      { ...edge, kind: 'closing', balance: first.closing, at: atOf(first.to) },
    ];
    expect(recordsOf(answer)).toEqual(rows.map((row) => ({ currency: 'RUB', ...row })));
    const early = await shop.call(`/v1/statements.csv?from=${begin}&to=2999-01-01T00:00:00Z`);
    expect(early.body.errors).toMatchObject([{ pointer: '/to', code: 'field_invalid' }]);
  });

  it('are signed for a period without an entry, once it is requested (R25.1)', () => {
    expect(idle).toMatchObject({
      opening: first.closing,
      closing: first.closing,
      before: { entry_id: first.entries.at(-1).entry_id },
      entries: [],
      after: null,
      checkpoint: { tree_size: 3 },
      consistency: { proof: [] },
    });
    expect(idle.checkpoint.at >= idle.to).toBe(true);
  });

  it('contain no personal data (R25.5)', () => {
    const text = JSON.stringify(first);
    for (const personal of [number, holder, 'client-of-payout'])
      expect(text).not.toContain(personal);
  });

  it('refer to checkpoints that continue each other (R25.3)', async () => {
    const { body } = await shop.call('/v1/checkpoints?currency=RUB');
    const sizes = body.checkpoints.map(({ tree_size: size }: Json) => size);
    expect(sizes).toEqual(sizes.toSorted((one: number, other: number) => one - other));
    expect(body.checkpoints.map(({ consistency }: Json) => consistency.from_size)).toEqual([
      0,
      ...sizes.slice(0, -1),
    ]);
    const { checkpoint } = second;
    const query = `currency=RUB&from_size=${checkpoint.tree_size}`;
    const later = await shop.call(`/v1/checkpoints?${query}`);
    expect(later.body.checkpoints).toContainEqual(expect.objectContaining(checkpoint));
    const unnamed = await shop.call('/v1/checkpoints');
    expect(unnamed.body.errors).toMatchObject([{ pointer: '/currency', code: 'field_required' }]);
  });

  it('name a published key (R25.6)', async () => {
    expect(keys.keys.map(({ key_id: id }: Json) => id)).toContain(first.checkpoint.key_id);
    const url = `${target.gateways[0]}/.well-known/checkpoint-keys`;
    const answer = await sendRequest(url, { method: 'GET' });
    expect(answer).toMatchObject({ status: 200, body: keys });
  });

  it.each(programs)('can be verified without the gateway, in %s (R25.4)', async (...program) => {
    expect(await verified(program, { statement: first })).toMatchObject({ code: 0 });
    expect(await verified(program, { statement: idle, previous: first })).toMatchObject({
      code: 0,
    });
    expect(await verified(program, { statement: second, previous: first })).toMatchObject({
      code: 0,
    });
    const changed = structuredClone(second);
    changed.entries[0].amount = '-1.49';
    const { code, text } = await verified(program, { statement: changed, previous: first });
    expect(code).toBe(1);
    expect(text).toMatch(/^entry 1 \(.*\n$/);
    const swapped = await verified(program, { statement: second, previous: euros });
    expect(swapped.code).toBe(1);
  });

  it.each([
    ['from=2020-01-01T00:00:00Z', '/to', 'field_required'],
    [`from=${begin}&to=2999-01-01T00:00:00Z`, '/to', 'field_invalid'],
    [`from=2021-01-01T00:00:00Z&to=${begin}`, '/from', 'field_invalid'],
    [`from=${begin}&to=2021-01-01T00:00:00Z`, '/currency', 'field_required'],
    [`from=${begin}&to=${begin}&currency=XXX`, '/currency', 'field_invalid'],
    [`from=${begin}&to=${begin}&currency=RUB&shop_id=x`, '/shop_id', 'scope_field_forbidden'],
  ])('are rejected for %s', async (query, pointer, code) => {
    const answer = await shop.call(`/v1/statements?${query}`);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer, code }]);
  });
});
