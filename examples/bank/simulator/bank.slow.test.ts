import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import { bankContentType, bankPaths, decodeRecords } from '#examples/bank/connector/wire.ts';

// The tests query today's transfers.
await avoidMidnight();

const sandbox = sandboxForFile();
beforeEach(() => behave({}));

type Call = { method?: string; form?: Record<string, string>; key?: string; timeoutMs?: number };

async function request(path: string, { method, form, key, timeoutMs = 20_000 }: Call = {}) {
  const { BANK_URL, BANK_ACCOUNT, BANK_KEY } = sandbox.config;
  const login = Buffer.from(`${BANK_ACCOUNT}:${key ?? BANK_KEY}`).toString('base64');
  const response = await fetch(`${BANK_URL}${path}`, {
    method: method ?? (form ? 'POST' : 'GET'),
    headers: { authorization: `Basic ${login}`, ...(form && { 'content-type': bankContentType }) },
    ...(form && { body: new URLSearchParams(form).toString() }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const type = response.headers.get('content-type') ?? '';
  const records = decodeRecords(new Uint8Array(await response.arrayBuffer())) ?? [];
  return { status: response.status, type, records, first: records[0] ?? {} };
}

async function command(method: string, path: string, body?: object) {
  const response = await fetch(`${sandbox.url}/control/bank${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const behave = (behaviour: object) => command('PUT', '/behaviour', behaviour);

const order = (purpose: string, change: Record<string, string> = {}) => ({
  account: sandbox.config.BANK_ACCOUNT,
  amount: '12345',
  currency: 'RUB',
  to: '2200123456789012',
  purpose,
  ...change,
});
const send = (purpose: string, { timeoutMs = 20_000 } = {}) =>
  request('/transfers', { form: order(purpose), timeoutMs });
const today = () => new Date().toISOString().slice(0, 10);
const listed = async (
  purpose: string,
  page = 1,
): Promise<{ [field: string]: string | undefined }[]> => {
  const { first, records } = await request(
    bankPaths.listing({ account: sandbox.config.BANK_ACCOUNT, day: today(), page }),
  );
  const here = records.slice(1).filter((each) => each['purpose'] === purpose);
  return first['more'] === 'yes' ? [...here, ...(await listed(purpose, page + 1))] : here;
};
const statement = async () =>
  (
    await request(
      bankPaths.statement({ account: sandbox.config.BANK_ACCOUNT, day: today(), page: 1 }),
    )
  ).records;
const balances = (lines: readonly Record<string, string | undefined>[]) => {
  const sign = (line: Record<string, string | undefined>) =>
    BigInt(line['amount'] ?? 0) * (line['direction'] === 'in' ? 1n : -1n);
  const moved = lines.slice(1, -1).reduce((sum, line) => sum + sign(line), 0n);
  return {
    calculated: BigInt(lines[0]?.['balance'] ?? 0) + moved,
    stated: BigInt(lines.at(-1)?.['balance'] ?? 0),
  };
};

describe('an order', () => {
  it('is entered, and booked later', async () => {
    await behave({ book_ms: 50 });
    const purpose = randomUUID();
    const { status, type, first } = await send(purpose);
    expect({ status, type }).toEqual({ status: 200, type: `${bankContentType}; charset=utf-8` });
    expect(first).toMatchObject({ result: 'entered', state: 'pending', amount: '12345', purpose });
    await expect.poll(async () => (await listed(purpose))[0]?.['state']).toBe('booked');
    expect(
      (await request(`${bankPaths.transfer(first['transfer'] ?? '')}?account=${first['account']}`))
        .first,
    ).toMatchObject({
      transfer: first['transfer'],
      state: 'booked',
    });
  });

  it('makes two transfers if it is sent twice, as the bank has no idempotency', async () => {
    const purpose = randomUUID();
    const answers = [await send(purpose), await send(purpose)];
    expect(new Set(answers.map(({ first }) => first['transfer'])).size).toBe(2);
    expect(await listed(purpose)).toHaveLength(2);
  });

  it.each([
    ['with an amount of zero', { amount: '0' }],
    ['with an amount in roubles', { amount: '1.00' }],
    ['with an unknown field', { colour: 'red' }],
    ['with a purpose of 211 characters', { purpose: 'x'.repeat(211) }],
  ])('is rejected %s', async (_what, change) => {
    const { status, first } = await request('/transfers', { form: order('wrong', change) });
    expect({ status, code: first['code'] }).toEqual({ status: 400, code: 'invalid' });
    expect(await listed('wrong')).toEqual([]);
  });

  it('requires the key of the account', async () => {
    const { status, first } = await request('/transfers', {
      form: order('x'),
      key: 'another-key-000001',
    });
    expect({ status, code: first['code'] }).toEqual({ status: 401, code: 'unauthorized' });
  });

  it('is booked by a command if not automatically, and can be returned once booked', async () => {
    await behave({ book_ms: null });
    const purpose = randomUUID();
    const id = (await send(purpose)).first['transfer'] ?? '';
    const decide = (state: string) => command('POST', `/transfers/${id}`, { state });
    expect((await decide('returned')).status).toBe(400);
    expect((await decide('booked')).body).toMatchObject({ state: 'booked' });
    expect((await decide('rejected')).status).toBe(400);
    const back = (await decide('returned')).body;
    expect(back).toMatchObject({ state: 'booked', direction: 'in', amount: '12345', returns: id });
    expect(
      (await command('POST', `/transfers/${String(back['transfer'])}`, { state: 'returned' }))
        .status,
    ).toBe(400);
    const answer = await request(
      `${bankPaths.transfer(id)}?account=${sandbox.config.BANK_ACCOUNT}`,
    );
    expect(answer.records).toMatchObject([
      { transfer: id },
      { transfer: back['transfer'], returns: id },
    ]);
    const lines = (await statement()).filter((line) => line['purpose'] === purpose);
    expect(lines.map(({ direction, returns }) => [direction, returns])).toEqual([
      ['out', undefined],
      ['in', id],
    ]);
  });
});

describe('an order without a response', () => {
  it('may never have arrived', async () => {
    await behave({ lose_requests: 1 });
    const purpose = randomUUID();
    await expect(send(purpose, { timeoutMs: 1_000 })).rejects.toThrow(/timeout/i);
    expect((await command('GET', `/transfers?purpose=${purpose}`)).body).toEqual([]);
  });

  it('may have been carried out', async () => {
    await behave({ lose_replies: 1 });
    const purpose = randomUUID();
    await expect(send(purpose, { timeoutMs: 1_000 })).rejects.toThrow(/timeout/i);
    expect(await listed(purpose)).toHaveLength(1);
  });

  it('may arrive late', async () => {
    await behave({ late: 1, late_ms: 700 });
    // The bank runs in this process and uses this clock.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const purpose = randomUUID();
    await expect(send(purpose, { timeoutMs: 1_000 })).rejects.toThrow(/timeout/i);
    expect(await listed(purpose)).toEqual([]);
    vi.setSystemTime(Date.now() + 700);
    expect(await listed(purpose)).toHaveLength(1);
  });
});

describe('a listing', () => {
  it('has pages of debits and credits in the order of entry', async () => {
    const purpose = randomUUID();
    for (let index = 0; index < 25; index += 1)
      await (index % 2 === 0
        ? send(purpose)
        : command('POST', '/incoming', { amount: '1.00', purpose }));
    const { first, records } = await request(
      bankPaths.listing({ account: sandbox.config.BANK_ACCOUNT, day: today(), page: 1 }),
    );
    expect(first).toMatchObject({ page: '1', lines: '20', more: 'yes' });
    expect(records).toHaveLength(21);
    const mine = await listed(purpose);
    expect(mine.map(({ direction }) => direction)).toEqual(
      Array.from({ length: 25 }, (_, index) => (index % 2 === 0 ? 'out' : 'in')),
    );
  });

  it('repeats lines if configured', async () => {
    const purpose = randomUUID();
    await send(purpose);
    await behave({ duplicate_lines: 1 });
    const lines = await listed(purpose);
    expect(lines.map(({ transfer }) => transfer)).toEqual([
      lines[0]?.['transfer'],
      lines[0]?.['transfer'],
    ]);
  });

  it('is slow or lost if configured', async () => {
    const path = bankPaths.listing({ account: sandbox.config.BANK_ACCOUNT, day: today(), page: 1 });
    for (const behaviour of [{ slow_ms: 10_000 }, { lose_reads: 1 }]) {
      await behave(behaviour);
      await expect(request(path, { timeoutMs: 1_000 })).rejects.toThrow(/timeout/i);
    }
    await behave({ slow_ms: 1 });
    expect((await request(path)).status).toBe(200);
  });
});

describe('a statement', () => {
  it('contains the movements from the opening to the closing balance', async () => {
    const purpose = randomUUID();
    await command('POST', '/incoming', { amount: '70.05', purpose });
    const lines = await statement();
    expect(lines[0]).toMatchObject({ line: 'opening', final: 'no', day: today() });
    expect(lines.at(-1)).toMatchObject({ line: 'closing', lines: String(lines.length - 2) });
    expect(lines.filter((line) => line['purpose'] === purpose)).toMatchObject([
      { line: 'movement', direction: 'in', amount: '7005' },
    ]);
    const { calculated, stated } = balances(lines);
    expect(stated).toBe(calculated);
  });

  it('contains planted differences until they are cleared', async () => {
    const purpose = randomUUID();
    const arrive = async () =>
      String((await command('POST', '/incoming', { amount: '1.00', purpose })).body['transfer']);
    const [gone, other, twice] = [await arrive(), await arrive(), await arrive()];
    for (const difference of [
      { kind: 'missing', transfer: gone },
      { kind: 'amount', transfer: other, amount: 250 },
      { kind: 'duplicate', transfer: twice },
      { kind: 'extra', direction: 'out', amount: 77, purpose },
      { kind: 'closing', by: 5 },
    ])
      expect((await command('POST', '/differences', difference)).status).toBe(200);
    const lines = await statement();
    const mine = lines.filter((line) => line['purpose'] === purpose);
    expect(mine.map(({ transfer, amount }) => [transfer, amount])).toEqual([
      [other, '250'],
      [twice, '100'],
      [twice, '100'],
      ['X77', '77'],
    ]);
    const { calculated, stated } = balances(lines);
    expect(stated - calculated).toBe(5n);
    await command('DELETE', '/differences');
    const cleared = await statement();
    expect(cleared.filter((line) => line['purpose'] === purpose)).toHaveLength(3);
    expect(balances(cleared).stated).toBe(balances(cleared).calculated);
  });
});

it('another account has its own key and holder', async () => {
  const account = '40702810500000000002';
  const opened = await command('POST', '/accounts', {
    account,
    key: 'another-key-000002',
    holder: 'ООО «ДРУГОЙ»',
  });
  expect(opened.status).toBe(200);
  const path = bankPaths.account(account);
  expect((await request(path)).status).toBe(401);
  const login = Buffer.from(`${account}:another-key-000002`).toString('base64');
  const response = await fetch(`${sandbox.config.BANK_URL}${path}`, {
    headers: { authorization: `Basic ${login}` },
  });
  const [stated] = decodeRecords(new Uint8Array(await response.arrayBuffer())) ?? [];
  expect(stated).toMatchObject({ account, holder: 'ООО «ДРУГОЙ»', state: 'open', currency: 'RUB' });
});
