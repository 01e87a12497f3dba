import type { AuditedEntity } from '../entities/entity.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Context } from '../pass/context.ts';

const afterTheEnd: ReadonlySet<string> = new Set([
  'LateMoneyReceived',
  'ApprovedMoneyConfirmed',
  'LateStatusReported',
]);

/**
 * Until the end, reports on the accepted attempt change the operation itself (R13.7). Only a return
 * in excess of its leg, and a change of it, is a late fact before the end.
 */
export function judgeOpenLate(
  context: Context,
  entity: AuditedEntity,
  envelope: EventEnvelope,
): void {
  if (!afterTheEnd.has(envelope.type)) return;
  const { operation } = entity;
  const { attempt } = envelope.data as { attempt: number };
  if (!operation || operation.end || operation.accepted?.attempt !== attempt) return;
  const message = `${envelope.type} of attempt ${attempt}, which is accepted, while the ${operation.type} is ${operation.status}`;
  createFlag(context, envelope, entity.shopId)('late.open', message);
}
