import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';

/** An event of an operation, as a log has it at this position. */
export const eventAt = (position: number): RawEvent => ({
  position,
  stream: `operation-${position}`,
  revision: 0,
  id: `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`,
  type: 'OperationCreated',
  contentType: 'application/json',
  createdTicks: '17000000000000000',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{}'),
});
