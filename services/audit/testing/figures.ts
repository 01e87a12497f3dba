import { createChain, portableRecord } from '#shared/application/log/chain.ts';
import { isTerminalEventType } from '#shared/domain/operation/events.ts';
import { isPermanent } from '#shared/domain/log/retention.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import type { NewLogEvent } from './log.ts';

/** A recorded audit of the whole log so far, with its figures. */
export function auditedSoFar(event: NewLogEvent, log: readonly RawEvent[]): NewLogEvent {
  const count = (isIt: (each: RawEvent) => boolean) => log.filter(isIt).length;
  const { audited_shop_id: _, ...data } = event.data as { audited_shop_id?: string };
  const admitted = count(({ type }) => type === 'OperationAdmitted');
  const figures = {
    position: String(log.at(-1)?.position ?? 0),
    events: log.length,
    operations: count(({ stream, revision }) => stream.startsWith('operation-') && revision === 0),
    entries: count(({ type }) => type === 'EntryPosted'),
    open_operations: admitted - count(({ type }) => isTerminalEventType(type)),
  };
  return { ...event, data: { ...data, ...figures } };
}

/** What a move states of a log. */
export function movedFrom(log: readonly RawEvent[]) {
  const chain = createChain();
  for (const event of log) if (isPermanent(event.stream)) chain.add(portableRecord(event));
  return { from: 'a:1', events: chain.events(), digest: chain.hash() };
}
