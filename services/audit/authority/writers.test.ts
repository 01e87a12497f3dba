import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { auditLog } from '../testing/audit-log.ts';
import { after, inOperation } from '../testing/corruptions/changes.ts';
import { writeLog } from '../testing/corruptions/index.ts';
import { secretOf } from '../testing/shops.ts';
import { confirmationId, shopId } from '../testing/valid-log.ts';
import { commands, consequences, whatIsDone } from './commands.ts';
import { writers } from './writers.ts';

it('lists the allowed writers of every event type (R18.8)', () => {
  const types = new Set(Object.values(storedExamples).flat().map(whatIsDone));
  const covered = new Set([...writers.keys(), ...commands.keys(), ...consequences]);
  expect([...types].filter((type) => !covered.has(type))).toEqual([]);
});

const claimed = (causationId: string) => {
  const name = 'order-21';
  const operation_id = operationIdFor(secretOf(shopId), name);
  const names = { operation_id, shop_id: shopId, merchant_id: 'merchant-1' };
  const data = { ...names, merchant_operation_id: name, reason: 'its row failed' };
  const event = inOperation(operation_id, 'OperationCancelledBeforeCreate', data);
  return after('batch-confirmed', { ...event, actor: 'service:merchant-api', causationId });
};

it.each([
  ['the key of a row of a confirmed file', confirmationId, []],
  ['no other key', randomUUID(), ['authority.actor']],
])('lets a service claim %s (R24.3, R18.8)', async (_, causationId, rules) => {
  const { findings } = await auditLog(writeLog(claimed(causationId)));
  const found = findings.map(({ rule }) => rule).filter((rule) => rule.startsWith('authority.'));
  expect(found).toEqual(rules);
});
