import { afterEach, describe, expect, it } from 'vitest';
import { untilDayHasRoom } from '#infra/verify/harness/day.ts';
import {
  wireStatementSchema,
  type WireStatement,
} from '#shared/application/providers/sandbox/wire.ts';
import { toMinor } from '#shared/domain/ledger/minor.ts';
import { createClient } from '../testing/client.ts';
import { useSandbox } from '../testing/use-sandbox.ts';

// The requested statements are of today.
await untilDayHasRoom();

const given = useSandbox();
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const today = () => new Date().toISOString().slice(0, 10);
const ask = (query: object = {}) =>
  given.client.call(
    'GET',
    `/v1/statements?${new URLSearchParams({ currency: 'RUB', day: today(), ...query }).toString()}`,
  );
const statement = async (query: object = {}): Promise<WireStatement> =>
  wireStatementSchema.parse((await ask(query)).body);
const plant = async (difference: object) =>
  expect(
    (await given.client.call('POST', '/control/statements/differences', difference)).status,
  ).toBe(200);
const follows = ({ lines, opening_balance, closing_balance }: WireStatement) =>
  lines.reduce(
    (sum, { direction, amount }) => sum + toMinor(amount) * (direction === 'in' ? 1n : -1n),
    toMinor(opening_balance),
  ) === toMinor(closing_balance);
const paid = async (change: object = {}) => {
  const { id } = await given.client.accepted({}, change);
  const settled = await given.client.control(id, 'settle', { result: 'completed' });
  return { id, legId: String(settled.body.legs[0].leg_id) };
};

describe('a statement', () => {
  afterEach(() => given.client.call('DELETE', '/control/statements/differences'));

  it('has what moved on the day, in and out, and adds up', async () => {
    const [payment, payout] = [
      await paid(),
      await paid({ type: 'payout', amount: '999999999999999.99' }),
    ];
    const received = await statement();
    const of = { kind: 'transfer', attempt: 1 };
    expect(received.lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...of,
          direction: 'in',
          leg_id: payment.legId,
          operation_id: payment.id,
          amount: '100.00',
        }),
        expect.objectContaining({
          ...of,
          direction: 'out',
          leg_id: payout.legId,
          operation_id: payout.id,
          amount: '999999999999999.99',
        }),
      ]),
    );
    expect(follows(received)).toBe(true);
    expect(received).toMatchObject({ page: 1, final: false, more: false });
    expect(await statement({ currency: 'USD' })).toMatchObject({ lines: [] });
    expect(await statement({ day: '2020-01-01' })).toMatchObject({ lines: [], final: true });
  });

  it('has a leg as it was corrected', async () => {
    const { id, legId } = await paid();
    await given.client.control(id, 'correct', { leg_id: legId, amount: '6.00' });
    const mine = async () => (await statement()).lines.filter((line) => line.operation_id === id);
    expect(await mine()).toMatchObject([{ leg_id: legId, amount: '6.00' }]);
    await given.client.control(id, 'correct', { leg_id: legId });
    expect(await mine()).toEqual([]);
  });

  it('has the differences that were planted, and no others once they are cleared', async () => {
    const [gone, other, twice, whose] = [await paid(), await paid(), await paid(), await paid()];
    const fee = {
      kind: 'fee',
      direction: 'out',
      leg_id: 'fee-1',
      amount: '7.00',
      completed_at: new Date().toISOString(),
    };
    for (const difference of [
      { kind: 'missing', leg_id: gone.legId },
      { kind: 'amount', leg_id: other.legId, amount: '99.00' },
      { kind: 'duplicate', leg_id: twice.legId },
      { kind: 'operation', leg_id: whose.legId },
      { kind: 'extra', line: fee },
    ])
      await plant(difference);
    const received = await statement();
    const named = (id: string) => received.lines.filter(({ leg_id: legId }) => legId === id);
    expect(named(gone.legId)).toEqual([]);
    expect(named(other.legId)).toMatchObject([{ amount: '99.00' }]);
    expect(named(twice.legId)).toHaveLength(2);
    expect(named(whose.legId)[0]).not.toHaveProperty('operation_id');
    expect(named('fee-1')).toEqual([fee]);
    expect(follows(received)).toBe(true);
    await plant({ kind: 'closing', by: '-0.01' });
    expect(follows(await statement())).toBe(false);
    await given.client.call('DELETE', '/control/statements/differences');
    const cleared = await statement();
    expect(follows(cleared)).toBe(true);
    expect(cleared.lines.filter(({ leg_id: id }) => id === gone.legId)).toHaveLength(1);
  });

  it('is of the account whose key requests it', async () => {
    const other = createClient({ url: given.sandbox.url, apiKey: 'key-of-the-second-account' });
    const opened = { api_keys: ['key-of-the-second-account'], callback_secret: secret };
    expect((await given.client.call('PUT', '/control/accounts/second', opened)).status).toBe(200);
    const first = await paid();
    const { id } = await other.accepted();
    await given.client.control(id, 'settle', { result: 'completed' });
    await plant({ account: 'default', kind: 'closing', by: '1.00' });
    const path = `/v1/statements?currency=RUB&day=${today()}`;
    const seconds = wireStatementSchema.parse((await other.call('GET', path)).body);
    expect(seconds.lines.map((line) => line.operation_id)).toEqual([id]);
    expect(seconds).toMatchObject({ opening_balance: '0.00', closing_balance: '100.00' });
    const firsts = await statement();
    expect(firsts.lines.map((line) => line.operation_id)).toContain(first.id);
    expect(firsts.lines.map((line) => line.operation_id)).not.toContain(id);
    expect(follows(firsts)).toBe(false);
  });

  it('is of a day and a currency, a page at a time', async () => {
    for (const query of [
      { day: 'today' },
      { currency: 'roubles' },
      { page: '0' },
      { colour: 'red' },
    ])
      expect(await ask(query)).toMatchObject({ status: 400 });
    expect(await statement({ page: '2' })).toMatchObject({ page: 2, lines: [], more: false });
  });
});
