import { afterEach, describe, expect, it } from 'vitest';
import { avoidMidnight } from '#infra/verify/harness/tests/avoid-midnight.ts';
import {
  wireStatementSchema,
  type WireStatement,
} from '#shared/application/providers/sandbox/wire.ts';
import { toMinor } from '#shared/domain/ledger/minor.ts';
import { accountCredentials, openAccount } from '../testing/account.ts';
import { createClient } from '../testing/client.ts';
import { useSandbox } from '../testing/use-sandbox.ts';

// The statements are of the current day, which must not change meanwhile.
await avoidMidnight();

const harness = useSandbox();
const today = () => new Date().toISOString().slice(0, 10);
const get = (query: object = {}) =>
  harness.client.call(
    'GET',
    `/v1/statements?${new URLSearchParams({ currency: 'RUB', day: today(), ...query }).toString()}`,
  );
const statement = async (query: object = {}): Promise<WireStatement> =>
  wireStatementSchema.parse((await get(query)).body);
const plant = async (difference: object) =>
  expect(
    (await harness.client.call('POST', '/control/statements/differences', difference)).status,
  ).toBe(200);
const addsUp = ({ lines, opening_balance, closing_balance }: WireStatement) =>
  lines.reduce(
    (sum, { direction, amount }) => sum + toMinor(amount) * (direction === 'in' ? 1n : -1n),
    toMinor(opening_balance),
  ) === toMinor(closing_balance);
const paid = async (change: object = {}) => {
  const { id } = await harness.client.accepted({}, change);
  const settled = await harness.client.control(id, 'settle', { result: 'completed' });
  return { id, legId: String(settled.body.legs[0].leg_id) };
};

describe('a statement', () => {
  afterEach(() => harness.client.call('DELETE', '/control/statements/differences'));

  it('lists the transfers of the day in both directions, and adds up', async () => {
    const [payment, payout] = [
      await paid(),
      await paid({ type: 'payout', amount: '999999999999999.99' }),
    ];
    const listed = await statement();
    const of = { kind: 'transfer', attempt: 1 };
    expect(listed.lines).toEqual(
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
    expect(addsUp(listed)).toBe(true);
    expect(listed).toMatchObject({ page: 1, final: false, more: false });
    expect(await statement({ currency: 'USD' })).toMatchObject({ lines: [] });
    expect(await statement({ day: '2020-01-01' })).toMatchObject({ lines: [], final: true });
  });

  it('lists a leg with its corrected amount, and no removed leg', async () => {
    const { id, legId } = await paid();
    await harness.client.control(id, 'correct', { leg_id: legId, amount: '6.00' });
    const mine = async () => (await statement()).lines.filter((line) => line.operation_id === id);
    expect(await mine()).toMatchObject([{ leg_id: legId, amount: '6.00' }]);
    await harness.client.control(id, 'correct', { leg_id: legId });
    expect(await mine()).toEqual([]);
  });

  it('shows the planted differences, and none after they are cleared', async () => {
    const [omitted, changed, duplicated, unattributed] = [
      await paid(),
      await paid(),
      await paid(),
      await paid(),
    ];
    const fee = {
      kind: 'fee',
      direction: 'out',
      leg_id: 'fee-1',
      amount: '7.00',
      completed_at: new Date().toISOString(),
    };
    for (const difference of [
      { kind: 'missing', leg_id: omitted.legId },
      { kind: 'amount', leg_id: changed.legId, amount: '99.00' },
      { kind: 'duplicate', leg_id: duplicated.legId },
      { kind: 'operation', leg_id: unattributed.legId },
      { kind: 'extra', line: fee },
    ])
      await plant(difference);
    const listed = await statement();
    const named = (id: string) => listed.lines.filter(({ leg_id: legId }) => legId === id);
    expect(named(omitted.legId)).toEqual([]);
    expect(named(changed.legId)).toMatchObject([{ amount: '99.00' }]);
    expect(named(duplicated.legId)).toHaveLength(2);
    expect(named(unattributed.legId)[0]).not.toHaveProperty('operation_id');
    expect(named('fee-1')).toEqual([fee]);
    expect(addsUp(listed)).toBe(true);
    await plant({ kind: 'closing', by: '-0.01' });
    expect(addsUp(await statement())).toBe(false);
    await harness.client.call('DELETE', '/control/statements/differences');
    const cleared = await statement();
    expect(addsUp(cleared)).toBe(true);
    expect(cleared.lines.filter(({ leg_id: id }) => id === omitted.legId)).toHaveLength(1);
  });

  it('lists only the transfers of the account whose key is used', async () => {
    const { url } = harness.sandbox;
    const other = createClient({ url, apiKey: accountCredentials('second').api_key });
    await openAccount(url, 'second');
    const first = await paid();
    const { id } = await other.accepted();
    await harness.client.control(id, 'settle', { result: 'completed' });
    await plant({ account: 'default', kind: 'closing', by: '1.00' });
    const path = `/v1/statements?currency=RUB&day=${today()}`;
    const seconds = wireStatementSchema.parse((await other.call('GET', path)).body);
    expect(seconds.lines.map((line) => line.operation_id)).toEqual([id]);
    expect(seconds).toMatchObject({ opening_balance: '0.00', closing_balance: '100.00' });
    const firsts = await statement();
    expect(firsts.lines.map((line) => line.operation_id)).toContain(first.id);
    expect(firsts.lines.map((line) => line.operation_id)).not.toContain(id);
    expect(addsUp(firsts)).toBe(false);
  });

  it('rejects an invalid query, and is empty after the last page', async () => {
    for (const query of [
      { day: 'today' },
      { currency: 'roubles' },
      { page: '0' },
      { colour: 'red' },
    ])
      expect(await get(query)).toMatchObject({ status: 400 });
    expect(await statement({ page: '2' })).toMatchObject({ page: 2, lines: [], more: false });
  });
});
