import { expect, it } from 'vitest';
import { shopStream } from '#shared/domain/shop/events.ts';
import { auditLog } from '../testing/audit-log.ts';
import { createLog } from '../testing/log.ts';
import { setUpShops, testSettings } from '../testing/shops.ts';

const shopId = 'shop-1';
const atMs = Date.parse('2026-01-31T13:00:00.000Z');

/** Audits a file uploaded and confirmed by one member, with these changes of the setting before. */
async function rulesViolated(...changes: [on: boolean, beforeMs: number][]) {
  const log = createLog();
  setUpShops(log, [shopId]);
  const stream = `members-${shopId}`;
  const member = { member_id: 'anna', name: 'anna', role: 'admin' };
  const operator = { actor: 'operator:admin', tokenId: 'first' };
  log.append({ stream, type: 'MemberAdded', data: member, ...operator });
  for (const [on, beforeMs] of [[false, 3_000_000] as const, ...changes])
    log.append({
      stream: shopStream(shopId),
      type: 'ShopChanged',
      data: { settings: { ...testSettings(shopId), payout_batches_need_second_member: on } },
      atMs: atMs - beforeMs,
    });
  const batch = { batch_id: 'batch-1', shop_id: shopId };
  const result = { ...batch, rows: 0, total: {}, errors: [] };
  const actor = 'member:anna';
  const uploaded = { stream: 'payout-batch-batch-1', type: 'PayoutBatchChecked' };
  log.append({ ...uploaded, data: result, actor, atMs });
  const inRuns = { stream: 'payout-runs', data: batch, atMs };
  log.append({ ...inRuns, type: 'PayoutBatchConfirmed', actor });
  log.append({ ...inRuns, type: 'PayoutBatchFinished' });
  const { findings } = await auditLog(log.events);
  return findings.map(({ rule }) => rule);
}

it('reports a file confirmed by its uploader once the setting was on for a minute (R24.7)', async () => {
  const violation = ['authority.second_member'];
  expect(await rulesViolated()).toEqual([]);
  expect(await rulesViolated([true, 60_001])).toEqual(violation);
  expect(await rulesViolated([true, 60_000])).toEqual([]);
  expect(await rulesViolated([true, 600_000], [false, 120_000])).toEqual([]);
  expect(await rulesViolated([true, 600_000], [false, 50_000], [true, 40_000])).toEqual([]);
  expect(await rulesViolated([true, 600_000], [true, 1])).toEqual(violation);
});
