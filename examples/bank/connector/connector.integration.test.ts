import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { forFile } from '#infra/verify/harness/tests/for-file.ts';
import { sandboxForFile } from '#services/sandbox-provider/testing/start.ts';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';
import { controlBank } from '#examples/bank/simulator/testing/control.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import type { ProviderConnector, Submission } from '#shared/application/providers/connector.ts';
import { createBankConnector, type BankSettings } from './connector.ts';
import { toTransferPurpose, computeReference } from './reference.ts';
import { bankContentType } from './wire.ts';

// The tests query today's transfers.
await avoidMidnight();

const sandbox = sandboxForFile();
const bank = forFile(() => controlBank(sandbox.url));
let connector: ProviderConnector;
const closing: (() => Promise<void>)[] = [];

const connect = (change: Partial<BankSettings> = {}): ProviderConnector => {
  const { BANK_URL: url, BANK_ACCOUNT: account, BANK_KEY: key } = sandbox.config;
  const made = createBankConnector({ url, account, key, arrivalMs: 1_000, logger, ...change });
  closing.push(made.close);
  return made.connector;
};

/** A bank that answers so, until the end of the test. @returns its URL */
async function serve(answer: RequestListener): Promise<string> {
  const { url, close } = await openServer(answer);
  onTestFinished(close);
  return url;
}

beforeAll(() => void (connector = connect()));
beforeEach(() => bank.behave({ book_ms: null }));
afterAll(async () => {
  for (const close of closing) await close();
});

const bounds = { timeoutMs: 20_000 };
const submission = (
  type: 'payment' | 'payout',
  {
    amount = '123.45',
    route = {},
    ...change
  }: { amount?: string; route?: object; attempt?: number } = {},
): Submission => ({
  operationId: randomUUID(),
  attempt: 1,
  type,
  acceptUntil: new Date(Date.now() + 15_000).toISOString(),
  request: {
    client_id: 'c',
    method: 'WT_RUB_C2C',
    amount,
    currency: 'RUB',
    ...(type === 'payout' && { destination: { number: '2200123456789012', name: 'Иван И.' } }),
  },
  ...change,
  route: routeSchema.parse({
    type,
    method: 'WT_RUB_C2C',
    currency: 'RUB',
    provider: 'bank',
    commission: { percent: '1' },
    ...route,
  }),
});
const refOf = ({ request: _request, ...ref }: Submission) => ref;
const leg = (amount: string) => ({
  leg_id: expect.stringMatching(/^T\d+$/),
  amount,
  completed_at: expect.stringMatching(/Z$/),
  file: false,
});

describe('a payout', () => {
  it('is ordered with our reference, and may be returned until a day after booking', async () => {
    const payout = submission('payout');
    const answer = await connector.submit(payout, bounds);
    const [transfer] = await bank.withPurpose(payout.operationId);
    expect(transfer).toMatchObject({
      amount: '12345',
      purpose: `${payout.operationId}.1`,
      state: 'pending',
    });
    const providerReference = transfer?.transfer ?? '';
    expect(answer).toEqual({ outcome: 'accepted', providerReference });
    await bank.decide(providerReference, 'booked');
    const over = { ...refOf(payout), providerReference, over: true };
    expect(await connector.ask(over, bounds)).toMatchObject({
      report: { status: 'completed', mayReturn: true },
    });
    const nextDay = connect({ now: () => Date.now() + 86_500_000 });
    expect(await nextDay.ask(over, bounds)).not.toHaveProperty('report.mayReturn');
  });

  it.each(['0.01', '0.10', '1.00', '90071992.99', '900719925.47', '8000000.01'])(
    'converts %s to minor units and back exactly',
    async (amount) => {
      const payout = submission('payout', { amount });
      await bank.behave({ book_ms: 0 });
      await connector.submit(payout, bounds);
      expect((await bank.withPurpose(payout.operationId))[0]?.amount).toBe(
        amount.replace('.', '').replace(/^0+/, ''),
      );
      expect(await connector.ask(refOf(payout), bounds)).toMatchObject({
        report: { legs: [leg(amount)] },
      });
    },
  );

  it.each([
    ['the bank rejects it', { reject: 1 }, {}, 'rejected'],
    ['the balance is too low', {}, { amount: '999999999999999.99' }, 'insufficient_funds'],
    [
      'the route needs a conversion',
      {},
      { route: { conversion: { settlement_currency: 'USD', fx_source: 'x' } } },
      'no_conversion',
    ],
  ])('is refused if %s', async (_what, behaviour, change, reason) => {
    await bank.behave(behaviour);
    const payout = submission('payout', change);
    expect(await connector.submit(payout, bounds)).toEqual({ outcome: 'refused', reason });
    expect(await bank.withPurpose(payout.operationId)).toEqual([]);
  });
});

describe('an order without a response', () => {
  it('is not confused with another attempt at the same operation', async () => {
    const payout = submission('payout', { attempt: 12 });
    await connector.submit(payout, bounds);
    expect(await connector.ask({ ...refOf(payout), attempt: 1 }, bounds)).toEqual({
      outcome: 'not_found',
    });
    expect((await connector.ask(refOf(payout), bounds)).outcome).toBe('known');
  });

  it('is searched for only on the days on which it can have arrived', async () => {
    const payout = submission('payout');
    await connector.submit(payout, bounds);
    const longAgo = new Date(Date.now() - 10 * 86_400_000).toISOString();
    const result = await connector.ask({ ...refOf(payout), acceptUntil: longAgo }, bounds);
    expect(result).toEqual({ outcome: 'not_found' });
  });

  it('stays unknown while the bank rejects the key', async () => {
    const payout = submission('payout');
    const stranger = connect({ key: 'the-key-of-a-stranger' });
    const unknown = { outcome: 'unknown', cause: 'error' };
    expect(await stranger.ask(refOf(payout), bounds)).toEqual(unknown);
    expect(await stranger.submit(payout, bounds)).toEqual(unknown);
  });
});

describe('a payment', () => {
  it('has requisites, a reference and an expiry time (R5.16)', async () => {
    const payment = submission('payment', { route: { options: { payable_s: 60 } } });
    const reference = computeReference(payment);
    expect(await connector.submit(payment, bounds)).toEqual({
      outcome: 'accepted',
      providerReference: reference,
      requisites: {
        number: expect.stringMatching(/^2200\d{12}$/),
        name: expect.any(String),
        bankname: expect.any(String),
        bankname_details: expect.not.stringContaining(reference),
        transfer_purpose: reference,
      },
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(await connector.ask(refOf(payment), bounds)).toMatchObject({
      outcome: 'known',
      answer: {
        outcome: 'accepted',
        requisites: { transfer_purpose: reference },
      },
      report: { status: 'open', legs: [] },
    });
  });

  it('includes each transfer with its reference once, in any spelling', async () => {
    const payment = submission('payment');
    const attemptRef = { ...refOf(payment), providerReference: computeReference(payment) };
    const reference = computeReference(payment);
    const spaced = `оплата ${reference.toLowerCase().replaceAll(/(.{4})/g, '$1 ')}, спасибо`;
    await bank.incoming({ amount: '100.00', purpose: spaced });
    await bank.incoming({ amount: '999999999999999.99', purpose: reference });
    await bank.incoming({ amount: '7.00', purpose: 'GW000000000000Z unknown' });
    await bank.behave({ duplicate_lines: 1 });
    expect(await connect().ask(attemptRef, bounds)).toMatchObject({
      report: { legs: [leg('100.00'), leg('999999999999999.99')] },
    });
  });

  it('is found despite a transfer whose purpose cannot be stored', async () => {
    const payment = submission('payment');
    await bank.incoming({ amount: '1.00', purpose: 'a\0b' });
    await bank.incoming({ amount: '100.00', purpose: computeReference(payment) });
    const attemptRef = { ...refOf(payment), providerReference: computeReference(payment) };
    expect(await connect().ask(attemptRef, bounds)).toMatchObject({
      report: { legs: [leg('100.00')] },
    });
    const day = new Date().toISOString().slice(0, 10);
    expect(await connect().statement?.({ currency: 'RUB', day }, bounds)).toMatchObject({
      outcome: 'known',
    });
  });

  it('ignores a transfer that pays another payment', async () => {
    const [first, second] = [submission('payment'), submission('payment')];
    await bank.incoming({
      amount: '123.45',
      purpose: `${computeReference(first)} ${computeReference(second)}`,
    });
    const legsOf = async (payment: Submission) => {
      const result = await connect().ask(refOf(payment), bounds);
      return result.outcome === 'known' ? result.report.legs.length : result;
    };
    expect([await legsOf(first), await legsOf(second)]).toEqual([1, 0]);
  });

  it.each([
    ['on a page that is not read again', 25, () => Date.now()],
    [
      'on a day that is over',
      0,
      () => (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000 + 600_000,
    ],
  ])('reports returned money with a newer version: %s', async (_where, others, at) => {
    const payment = submission('payment', { route: { options: { payable_s: 86_400 } } });
    const attemptRef = { ...refOf(payment), providerReference: computeReference(payment) };
    const { transfer } = await bank.incoming({
      amount: '60.00',
      purpose: computeReference(payment),
    });
    for (let index = 0; index < others; index += 1)
      await bank.incoming({ amount: '1.00', purpose: 'x' });
    let nowMs = at();
    const later = connect({ now: () => nowMs });
    const reportOf = async (change: { over?: boolean } = {}) => {
      nowMs += 2_000;
      const result = await later.ask({ ...attemptRef, ...change }, bounds);
      return result.outcome === 'known' ? result.report : result;
    };
    const { version: first = 0, ...paid } = { ...(await reportOf()) } as { version?: number };
    expect(paid).toMatchObject({ legs: [leg('60.00')] });
    // After the terminal status a report has no version, so that none supersedes late money.
    expect(await reportOf({ over: true })).not.toHaveProperty('version');
    await bank.decide(transfer, 'returned');
    const { version: second = 0, ...back } = { ...(await reportOf()) } as { version?: number };
    expect(back).toMatchObject({
      legs: [leg('60.00')],
      returns: [{ of_leg_id: transfer, amount: '60.00' }],
    });
    expect(await reportOf({ over: true })).toMatchObject({ returns: [{ of_leg_id: transfer }] });
    expect(second).toBeGreaterThan(first);
  });

  it('is never_submitted if its response was lost, as no payer has its reference', async () => {
    const payment = submission('payment');
    const acceptUntil = new Date(Date.now() - 1).toISOString();
    expect(await connector.ask({ ...refOf(payment), acceptUntil }, bounds)).toEqual({
      outcome: 'never_submitted',
    });
  });

  it('expires with its window, and is polled for a day after that', async () => {
    const payment = submission('payment', { route: { options: { payable_s: 60 } } });
    const attemptRef = { ...refOf(payment), providerReference: computeReference(payment) };
    const statusAfter = async (ms: number, over: boolean) => {
      const later = connect({ now: () => Date.now() + ms });
      const result = await later.ask({ ...attemptRef, over }, bounds);
      return result.outcome === 'known' && result.report.status;
    };
    expect(await statusAfter(60_000, false)).toBe('open');
    expect(await statusAfter(80_000, false)).toBe('withdrawn');
    expect(await statusAfter(86_400_000, true)).toBe('open');
    expect(await statusAfter(86_400_000 + 80_000, true)).toBe('withdrawn');
  });
});

it('concurrent polls share one listing, and do not read full pages again', async () => {
  let calls: string[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    calls.push(request.url ?? '');
    const answer = await fetch(`${sandbox.config.BANK_URL}${request.url}`, {
      headers: { authorization: request.headers.authorization ?? '' },
    });
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
    });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  let nowMs = Date.now();
  const url = await serve((request, response) => void pass(request, response));
  const counted = connect({ url, now: () => nowMs });
  for (let index = 0; index < 45; index += 1) await bank.incoming({ amount: '1.00', purpose: 'x' });
  const payments = Array.from({ length: 50 }, () => {
    const payment = submission('payment');
    return { ...refOf(payment), providerReference: computeReference(payment) };
  });
  const askAll = () => Promise.all(payments.map((payment) => counted.ask(payment, bounds)));
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const pages = () =>
    calls.filter((path) => path.includes(`day=${today}`)).map((path) => path.split('page=')[1]);
  await askAll();
  const first = pages();
  expect(first.length).toBeGreaterThanOrEqual(3);
  expect(new Set(first).size).toBe(first.length);
  calls = [];
  await askAll();
  expect(pages()).toEqual([]);
  nowMs += 1_500;
  await askAll();
  expect(pages()).toEqual([first.at(-1)]);
  // A day that was not queried for an hour is evicted.
  nowMs += 3_600_001;
  const [other] = payments;
  const longAgo = new Date(nowMs - 10 * 86_400_000).toISOString();
  if (other) await counted.ask({ ...other, acceptUntil: longAgo }, bounds);
  calls = [];
  await askAll();
  expect(pages()[0]).toBe('1');
});

describe('a statement', () => {
  const day = () => new Date().toISOString().slice(0, 10);
  const dayRequest = () => ({ currency: 'RUB', day: day() });
  const read = async (request = dayRequest()) => {
    const statement = await connector.statement?.(request, bounds);
    if (statement?.outcome !== 'known') throw new Error(`the statement is ${statement?.outcome}`);
    return statement;
  };

  it('contains movements of no operation, in the currency of the account', async () => {
    const arrived = await bank.incoming({ amount: '5.05', purpose: 'x' });
    expect((await read()).lines).toContainEqual({
      kind: 'transfer',
      direction: 'in',
      legId: arrived.transfer,
      amount: '5.05',
      completedAt: expect.stringMatching(/Z$/),
    });
    expect(await connector.statement?.({ ...dayRequest(), currency: 'USD' }, bounds)).toEqual({
      outcome: 'unavailable',
      cause: 'the account is in RUB',
    });
  });

  it('contains the leg of returned money, and movements without a transfer', async () => {
    await bank.behave({ book_ms: 0 });
    const payout = submission('payout');
    await connector.submit(payout, bounds);
    const { operationId, attempt } = payout;
    const [transfer] = await bank.withPurpose(operationId);
    const id = transfer?.transfer ?? '';
    const back = await bank.decide(id, 'returned');
    await bank.plant({ kind: 'extra', direction: 'out', amount: 77, category: 'fee' });
    const { lines } = await read();
    expect(lines).toContainEqual({
      kind: 'return',
      direction: 'in',
      legId: back.transfer,
      ofLegId: id,
      of: { operationId, attempt },
      amount: '123.45',
      completedAt: expect.stringMatching(/Z$/),
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: 'fee', direction: 'out', legId: 'X77', amount: '0.77' }),
    );
    await bank.clear();
  });

  it('is paged if it is long', async () => {
    for (let index = 0; index < 30; index += 1)
      await Promise.all(
        Array.from({ length: 70 }, () => bank.incoming({ amount: '1.00', purpose: 'x' })),
      );
    const first = await read();
    expect(first.next).toBe('2');
    const second = await read({ ...dayRequest(), page: '2' } as ReturnType<typeof dayRequest>);
    const ids = [...first.lines, ...second.lines].map(({ legId }) => legId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(second).toMatchObject({
      openingBalance: first.openingBalance,
      closingBalance: first.closingBalance,
    });
  });
});

describe('an invalid response', () => {
  it.each([
    ['a page of HTML', 200, 'text/html', '<html></html>'],
    ['an error', 500, bankContentType, 'result=error&code=oops\n'],
    ['text that is cut off', 200, bankContentType, 'result=entered&transfer=T000000001'],
    ['a field that is named twice', 200, bankContentType, 'result=rejected&code=a&code=b\n'],
    ['an unknown result', 200, bankContentType, 'result=perhaps\n'],
    ['another transfer', 200, bankContentType, 'OTHER'],
  ])('leaves the outcome of an order unknown: %s', async (_what, status, type, body) => {
    const other = new URLSearchParams({
      result: 'entered',
      transfer: 'T000000001',
      account: sandbox.config.BANK_ACCOUNT,
      direction: 'out',
      amount: '12345',
      currency: 'RUB',
      purpose: 'another',
      state: 'pending',
      entered: new Date().toISOString(),
    }).toString();
    let orders = 0;
    const url = await serve((_request, response) => {
      orders += 1;
      response
        .writeHead(status, { 'content-type': type })
        .end(body === 'OTHER' ? `${other}\n` : body);
    });
    const invalidBank = connect({ url });
    const unknown = { outcome: 'unknown', cause: 'error' };
    expect(await invalidBank.submit(submission('payout'), bounds)).toEqual(unknown);
    expect(orders).toBe(1);
    expect(await invalidBank.ask(refOf(submission('payout')), bounds)).toEqual(unknown);
  });

  it('ends a poll as unknown if empty pages are endless', async () => {
    let pages = 0;
    const url = await serve((request, response) => {
      pages += 1;
      const { searchParams } = new URL(request.url ?? '', 'http://bank');
      const page = new URLSearchParams({
        ...Object.fromEntries(searchParams),
        lines: '0',
        more: 'yes',
      });
      const end = () =>
        response.writeHead(200, { 'content-type': bankContentType }).end(`${page.toString()}\n`);
      setTimeout(end, 20);
    });
    const result = await connect({ url }).ask(refOf(submission('payout')), { timeoutMs: 1_000 });
    expect(result).toEqual({ outcome: 'unknown', cause: 'error' });
    expect(pages).toBeLessThan(5);
  });
});

it('the reference differs per attempt, and the purpose names operation and attempt', () => {
  const operationId = randomUUID();
  const references = [1, 2, 12].map((attempt) => computeReference({ operationId, attempt }));
  expect(new Set(references).size).toBe(3);
  for (const each of references) expect(each).toMatch(/^GW[0-9A-HJKMNP-TV-Z]{13}$/);
  expect(toTransferPurpose({ operationId, attempt: 12 })).toBe(`${operationId}.12`);
});
