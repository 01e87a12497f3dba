import { isDeepStrictEqual } from 'node:util';
import { projectOperation } from '#projections/operations/project.ts';
import type { OperationRow } from '#projections/operations/table.ts';
import { expectedMessages } from '#services/webhooks/message.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import type { SimulatedLog } from '../log.ts';
import type { SimulatedOperation } from '../people/merchant.ts';
import type { Find } from '#infra/verify/harness/tests/finding.ts';

/** The results of an operation's stream without SQL: its webhooks, by the auditor, and its row. */
export function checkDerived(
  {
    log,
    operation,
    expectedWebhooks,
  }: {
    log: SimulatedLog;
    operation: SimulatedOperation;
    expectedWebhooks: ReadonlyMap<string, object>;
  },
  find: Find,
): void {
  const events = log.read(operationStream(operation.operationId));
  const { messages } = expectedMessages(events);
  const built = new Map(messages.map(({ message }) => [message.messageId, message]));
  for (const { id, type } of events) {
    const [ours, theirs] = [built.get(id), expectedWebhooks.get(id)];
    const body: unknown = ours && JSON.parse(ours.body);
    if (!isDeepStrictEqual(body, theirs))
      find('a webhook is not the expected one', { type, body, theirs });
  }
  let row: OperationRow | undefined;
  try {
    for (const event of events) row = projectOperation(row, event);
  } catch (error) {
    find('a read model would stop', { events, error: String(error) });
  }
  if (row && row.revision !== events.length - 1) find('a row is behind its stream', { row });
}
