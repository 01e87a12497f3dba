import { expect, it } from 'vitest';
import { leg } from '#shared/domain/operation/testing/given.ts';
import { auditLog } from '../../testing/audit-log.ts';
import { createLog } from '../../testing/log.ts';
import { changeRoute } from '../../testing/corruptions/changes.ts';
import { otherShopId, payment, payout, shopId, validLog } from '../../testing/valid-log.ts';

async function notesOf(log: ReturnType<typeof validLog>, ofShop?: string): Promise<string[]> {
  const { events, append } = createLog();
  for (const event of log.values()) append(event);
  const { notes } = await auditLog(events, { ...(ofShop !== undefined && { shopId: ofShop }) });
  return notes.filter((note) => /^pay(?:outs|ments with[^,]*:)/.test(note));
}

it('notes a payout that cost more than agreed, and only for its own shop', async () => {
  expect(await notesOf(validLog())).toEqual([]);
  const log = validLog();
  const received = { actual_amount: '110.00', recorded_amount: '110.00' };
  const charged = { settlement_amount: '112.75', commission_amount: '2.75' };
  const data = { ...received, ...charged, legs: [leg('p1', '110.00')] };
  Object.assign(log.get('payout-completed') ?? {}, { type: 'OperationCompleted', data });
  const note = `payouts that cost more than requested and quoted: ${payout} (112.75 for 102.50 RUB)`;
  const scopes = [undefined, shopId, otherShopId];
  const noted = await Promise.all(scopes.map((each) => notesOf(log, each)));
  expect(noted).toEqual([[note], [note], []]);
});

it('notes a payment with much more money than expected, and only for its own shop (R12.18)', async () => {
  const log = validLog();
  changeRoute('payment-started', { max_amount: '100.00' })(log);
  expect(await notesOf(log)).toEqual([]);
  changeRoute('payment-started', { max_amount: '99.99' })(log);
  const note = `payments with much more money than expected: ${payment} (100.00 of 100.00 RUB)`;
  const scopes = [undefined, shopId, otherShopId];
  const noted = await Promise.all(scopes.map((each) => notesOf(log, each)));
  expect(noted).toEqual([[note], [note], []]);
});
