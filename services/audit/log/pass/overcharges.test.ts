import { expect, it, onTestFinished } from 'vitest';
import { noRows } from '../../read-models/rows/rows.ts';
import { makeSpillFolder } from '../spill/temp-folder.ts';
import { createLog } from '../../testing/log.ts';
import { otherShopId, payout, shopId, validLog } from '../../testing/valid-log.ts';
import { createPass } from './log-pass.ts';

function notesOf(log: ReturnType<typeof validLog>, ofShop?: string): string[] {
  const spill = makeSpillFolder();
  const scope = ofShop === undefined ? {} : { shopId: ofShop };
  const pass = createPass({ folder: spill.path, report: () => undefined, rows: noRows, ...scope });
  onTestFinished(() => {
    pass.close();
    spill.remove();
  });
  const { events, append } = createLog();
  for (const event of log.values()) append(event);
  for (const event of events) pass.take(event);
  return pass.notes().filter((note) => note.startsWith('payouts'));
}

it('notes a payout that cost more than agreed, and only for its own shop', () => {
  expect(notesOf(validLog())).toEqual([]);
  const log = validLog();
  const leg = {
    leg_id: 'p1',
    amount: '110.00',
    completed_at: '2026-01-31T12:00:00.000Z',
    file: false,
  };
  const figures = {
    recorded_amount: '110.00',
    settlement_amount: '112.75',
    commission_amount: '2.75',
  };
  Object.assign(log.get('payout-completed') ?? {}, {
    type: 'OperationCompleted',
    data: { actual_amount: '110.00', ...figures, legs: [leg] },
  });
  const note = `payouts that cost more than requested and quoted: ${payout} (112.75 for 102.50 RUB)`;
  expect([notesOf(log), notesOf(log, shopId), notesOf(log, otherShopId)]).toEqual([
    [note],
    [note],
    [],
  ]);
});
