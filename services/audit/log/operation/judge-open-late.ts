import { providerLegIds } from '#shared/domain/late/events.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../pass/context.ts';
import type { OperationFacts } from './fold.ts';

const afterTheEnd: ReadonlySet<string> = new Set([
  'LateMoneyReceived',
  'ApprovedMoneyConfirmed',
  'LateStatusReported',
]);

/** The operation itself records a return that comes while it is open, and before its late part. */
function isUnrecordedReturn(
  operation: OperationFacts | undefined,
  { type, data, metadata }: EventEnvelope,
): boolean {
  // An older version may have called the return otherwise.
  if (type !== 'MoneyReturned' || metadata.schema_version < 2) return false;
  const ids = providerLegIds(data as Parameters<typeof providerLegIds>[0]);
  return !operation?.returns.some(({ legId }) => ids.includes(legId));
}

/**
 * Until the end, reports on the accepted attempt change the operation itself (R13.7). Only a return
 * in excess of its leg, and a change of it, is a late fact before the end.
 */
export function judgeOpenLate(
  context: AuditContext,
  entity: AuditedEntity,
  envelope: EventEnvelope,
): void {
  const { operation } = entity;
  const { attempt } = envelope.data as { attempt: number };
  if (!afterTheEnd.has(envelope.type) && !isUnrecordedReturn(operation, envelope)) return;
  if (!operation || operation.end || operation.accepted?.attempt !== attempt) return;
  const message = `${envelope.type} of attempt ${attempt}, which is accepted, while the ${operation.type} is ${operation.status}`;
  createFlag(context, envelope, entity.shopId)('late.open', message);
}
