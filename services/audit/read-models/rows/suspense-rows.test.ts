import { expect, it } from 'vitest';
import { storedEvents } from '#projections/testing/stored-events.ts';
import { decodeLateEvent } from '#shared/domain/late/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { newEntity } from '../../log/entities/entity.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { putLate } from './suspense-rows.ts';

it('puts the row of approved money, and its amount by the audit (R18.5)', () => {
  const examples = storedExamples.late.filter(({ type }) => type === 'ApprovedMoneyConfirmed');
  const rows = storedEvents('late-1', examples).map((stored) => {
    const event = decodeLateEvent(stored);
    const envelope = { ...stored, event: { position: 7 } } as EventEnvelope;
    const put: unknown[] = [];
    putLate((...row) => void put.push(row), newEntity('1'), { event, envelope });
    const leg = 'leg' in event.data ? event.data.leg : undefined;
    const projected = { entry_id: stored.id, leg_id: leg?.leg_id, received_at: stored.created };
    const audited = { own: { amount: leg?.amount, currency: 'RUB' }, position: 7 };
    return [put, [['approved_money', expect.objectContaining(projected), audited]]];
  });
  expect(rows.length).toBeGreaterThan(0);
  for (const [put, expected] of rows) expect(put).toEqual(expected);
});
