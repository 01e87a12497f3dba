import { expect, it } from 'vitest';
import { ruleCodes, rules } from '#shared/domain/audit/rules.ts';
import { auditLog } from '../../testing/audit-log.ts';
import { signLog } from '../../testing/checkpoints.ts';
import { createLog } from '../../testing/log.ts';
import { signEvents } from '../../testing/signed-log.ts';
import { shopId, validLog } from '../../testing/valid-log.ts';

const notOfLog = /^(webhook|read_model|receipt_file|checkpoint|report)\./;

it('counts what was checked for every rule of the log (R18.11)', async () => {
  const log = createLog();
  for (const event of validLog().values()) log.append(event);
  signLog(log.events, shopId);
  signEvents(log.events);
  const { checked } = await auditLog(log.events);
  const uncounted = ruleCodes.filter((code) => !notOfLog.test(code) && !checked[rules[code].of]);
  expect(uncounted).toEqual([]);
  expect(checked).toMatchObject({
    events: log.events.length,
    operations: 5,
    payouts: 1,
    reserves: 1,
    ends: 5,
    paid_ends: 3,
    late_money: 3,
    money_returned: 1,
    cancels: 1,
    keys: 2,
    erasures: 2,
  });
});

it('counts nothing in an empty log, and only a shop’s own events for that shop', async () => {
  expect((await auditLog([])).checked).toEqual({ events: 0 });
  const log = createLog();
  for (const event of validLog().values()) log.append(event);
  const { checked } = await auditLog(log.events, { shopId });
  expect(checked).toMatchObject({ operations: 4, paid_ends: 2 });
});
