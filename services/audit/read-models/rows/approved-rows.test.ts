import { expect, it } from 'vitest';
import { projectApproved } from '#projections/suspense/project.ts';
import { approvedMoneyTable } from '#projections/suspense/table.ts';
import { storedEvents } from '#projections/testing/stored-events.ts';
import { decodeLateEvent } from '#shared/domain/late/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { approvedRow } from './suspense-rows.ts';

it('returns the row of the read model for approved money', () => {
  const examples = storedExamples.late.filter(({ type }) => type === 'ApprovedMoneyConfirmed');
  const [event] = storedEvents('late-1', examples);
  if (!event) throw new Error('no example');
  const envelope = {
    event: { ...event, position: Number(event.position) },
    atMs: event.created.getTime(),
  };
  const row: Record<string, unknown> | undefined = approvedRow({
    event: decodeLateEvent(event),
    envelope: envelope as unknown as EventEnvelope,
  });
  const projected = projectApproved(event);
  const asText = (value: unknown) => (value instanceof Date ? value.getTime() : value);
  for (const column of Object.keys(approvedMoneyTable.columns)) {
    const expected = asText(projected?.[column as keyof typeof projected]);
    expect([column, String(row?.[column])]).toEqual([column, String(expected)]);
  }
  const others = storedExamples.late.filter(({ type }) => type !== event.type);
  const rows = others.flatMap((example) => storedEvents('late-1', [example]).map(projectApproved));
  expect(rows.filter((each) => each !== undefined)).toEqual([]);
});
