import { describe, expect, it } from 'vitest';
import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { parse, formatCents } from './support/decimal.ts';
import { pdf } from './support/files.ts';
import type { Json } from './support/answer.ts';
import { admin, sendRequest, target } from './support/http.ts';
import { isTerminalStatus } from './support/operation.ts';
import { payoutRoute, route } from './support/routes.ts';
import { openTestShop, type TestShop } from './support/shop.ts';
import { until } from './support/until.ts';

const histories = Number(process.env['ACCEPTANCE_HISTORIES'] ?? 48);
const firstSeed = Number(process.env['ACCEPTANCE_SEED'] ?? 1);

/** The same choices for the same seed. */
function choices(seed: number) {
  const { below: next } = createRandom(seed * 0x9e3779b9);
  return { next, oneOf: <T>(values: readonly T[]): T => values[next(values.length)] as T };
}

const conversion = { settlement_currency: 'USD', fx_source: 'sandbox' };
const kinds = [
  'plain',
  'receipt',
  'converting',
  'payout',
  'converting payout',
  'payout without an answer',
] as const;
const shopOf = async (kind: (typeof kinds)[number]) => {
  const routes = {
    plain: route(),
    receipt: route({ requires_receipt: true }),
    converting: route({ conversion, requires_receipt: true, options: { fx_rate: '0.013700' } }),
    payout: payoutRoute(),
    'converting payout': payoutRoute({ conversion, options: { fx_rate: '0.013700' } }),
    'payout without an answer': payoutRoute({ options: { accept: 'error' } }),
  };
  return openTestShop({ routes: [routes[kind]], webhook: true });
};

/**
 * One operation with commands of merchant, provider and operator, in any order and often
 * concurrent.
 */
async function runHistory(
  shop: TestShop,
  seed: number,
): Promise<{ settlement: bigint; history: string }> {
  const { next, oneOf } = choices(seed);
  const type = shop.routes[0]?.type ?? 'payment';
  const body = shop.body(type, {
    amount: `${next(90) + 10}.${String(next(100)).padStart(2, '0')}`,
  });
  const { operation_id: id } = await shop.made(shop.create(type, body, { route: shop.routes[0] }));
  const done: string[] = [`seed ${seed}: ${type} ${id} of ${body.amount}`];
  let providerLegs: Json[] = [];
  let end: Json;
  const amount = () => `${next(40)}.${String(next(99) + 1).padStart(2, '0')}`;
  const control = async (command: string, json: object) => {
    const answer = await sendRequest(`${target.sandbox}/control/operations/${id}/${command}`, {
      json,
    });
    const legs: Json[] = answer.body?.legs ?? [];
    if (legs.length > providerLegs.length) providerLegs = legs;
    return answer;
  };
  const file = pdf();
  const commands: [string, () => Promise<unknown>][] = [
    ['leg', async () => control('leg', { amount: amount() })],
    ['completed', async () => control('settle', { result: 'completed' })],
    ['declined', async () => control('settle', { result: 'declined' })],
    ['expired', async () => control('settle', { result: 'expired' })],
    ['partial', async () => control('settle', { result: 'partial', legs: [{ amount: amount() }] })],
    ['late money', async () => control('late-money', { amount: amount() })],
    [
      'reviewed',
      async () =>
        control('review', { result: oneOf(['approve', 'decline', 'flagged', 'not_terminal']) }),
    ],
    ['cancel', async () => shop.cancel({ operation_id: id }, oneOf([0, 1] as const))],
    [
      'cancel',
      async () =>
        shop.cancel({ merchant_operation_id: body.merchant_operation_id }, oneOf([0, 1] as const)),
    ],
    [
      'receipt',
      async () => shop.confirm(id, oneOf([file, file, 'no pdf']), oneOf([0, 1] as const)),
    ],
    [
      'decided',
      async () =>
        admin('POST', `/operations/${id}/review`, {
          ...oneOf([{ decision: 'approve', actual_amount: body.amount }, { decision: 'decline' }]),
          note: 'n',
        }),
    ],
    [
      'receipt requested again',
      async () => admin('POST', `/operations/${id}/review`, { decision: 'ask_again', note: 'n' }),
    ],
    ['repeat', async () => shop.create(type, body, { at: oneOf([0, 1] as const) })],
  ];
  const read = async () => {
    const { body: state } = await until(
      'a state',
      async () => shop.read({ operation_id: id }, oneOf([0, 1] as const)),
      {
        holds: ({ status }) => status === 200,
      },
    );
    // A terminal status never changes, nor do its figures.
    const { receipts: _, receipt_evidence_status: __, ...settled } = state;
    if (end !== undefined) expect(settled, done.join(', ')).toEqual(end);
    if (isTerminalStatus(state.status)) end = settled;
    return state;
  };
  for (let step = 0; step < 5; step += 1) {
    const together = Array.from({ length: next(3) + 1 }, () => oneOf(commands));
    done.push(together.map(([name]) => name).join(' & '));
    await Promise.all(together.map(async ([, run]) => run()));
    await read();
  }
  // The provider ends an operation that is still open.
  if (end === undefined) {
    await control('settle', { result: 'declined' });
    await until(`the end of ${done.join(', ')}`, read, { holds: () => end !== undefined });
  }
  const history = `${done.join(', ')}: ${end.status}`;

  // Every webhook was delivered, the last one with the terminal status.
  const last = await until(`the last webhook of ${history}`, () => shop.deliveriesOf(id).at(-1), {
    holds: (delivery) => delivery?.type === `${type}.${end.status}`,
  });
  expect(last?.operation).toMatchObject({
    actual_amount: end.actual_amount,
    settlement_amount: end.settlement_amount,
  });
  const awaited = shop
    .deliveriesOf(id)
    .filter(({ type: deliveryType }) => !deliveryType.endsWith('awaiting_confirmation'));
  expect(new Set(awaited.map(({ id: message }) => message)).size, history).toBe(1);

  // No money is lost: the provider's legs are the operation's or in suspense. What an operator
  // approved has no leg.
  const events = await shop.events(id);
  const byOperator = events.some(({ data }) => data.decision === 'approve');
  if (!byOperator) {
    const received = providerLegs.reduce((total, leg) => total + parse(leg.amount), 0n);
    await until(`all of the money of ${history}`, async () => inSuspense(id), {
      holds: (waiting) => waiting + parse(end.actual_amount) === received,
    });
  }
  const sign = type === 'payout' ? -1n : 1n;
  return { settlement: sign * parse(end.settlement_amount), history };
}

async function inSuspense(id: string): Promise<bigint> {
  let total = 0n;
  let cursor = '';
  for (let pages = 0; pages < 50; pages += 1) {
    const { body } = await admin('GET', `/suspense${cursor}`);
    for (const entry of body.entries)
      if (entry.operation_id === id && entry.amount) total += parse(entry.amount);
    if (typeof body.next_cursor !== 'string') break;
    cursor = `?cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  return total;
}

describe('random histories', () => {
  it.each(kinds.map((kind, index) => ({ kind, index })))(
    'keep status, webhooks, money and ledger consistent: $kind (R6.3)',
    async ({ kind, index }) => {
      const shop = await shopOf(kind);
      const currency = kind.includes('converting') ? 'USD' : 'RUB';
      const count = Math.ceil(histories / kinds.length);
      let balance = 0n;
      const lanes = Array.from({ length: 3 }, async (_, lane) => {
        for (let run = lane; run < count; run += 3) {
          const { settlement } = await runHistory(shop, firstSeed + run * kinds.length + index);
          balance += settlement;
        }
      });
      await Promise.all(lanes);
      const minus = formatCents(balance < 0n ? -balance : 0n);
      for (const at of [0, 1] as const) {
        expect(await shop.balance(currency, at)).toEqual({
          currency,
          balance: formatCents(balance),
          current_minus: minus,
          reserved: '0.00',
        });
      }
    },
  );
});
