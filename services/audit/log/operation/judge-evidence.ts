import { decodeEvidenceEvent } from '#shared/domain/evidence/events.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Context } from '../pass/context.ts';
import { amountOf, minorOf, totalOf } from './exact-arithmetic.ts';

/** Checks an operation's receipts (R10.4, R10.5). @throws when they can't be decoded */
export function judgeEvidence(
  context: Context,
  entity: AuditedEntity,
  envelope: EventEnvelope,
): void {
  const { data } = decodeEvidenceEvent(envelope);
  const { operation } = entity;
  const flag = createFlag(context, envelope, data.shop_id);
  if (data.operation_id !== entity.id)
    flag('log.wrong_stream', `it belongs to receipts-${data.operation_id}`);
  if (entity.evidence) flag('receipts.not_owed', 'receipts are recorded a second time');
  entity.evidence = true;
  if (operation?.end?.recorded === undefined || operation.shopId !== data.shop_id)
    return flag('receipts.not_owed', `the operation is ${operation?.status ?? 'not there'}`);
  if (operation.end.evidence === 'legs')
    flag(
      'receipts.not_owed',
      'the legs of the operation are its evidence, but its provider was called',
    );
  for (const { legId, amount } of operation.legs) {
    const items = data.items.filter((item) => item.leg_id === legId);
    const shown = totalOf(items.map((item) => item.amount));
    if (shown !== minorOf(amount))
      flag('receipts.legs', `leg ${legId} of ${amount} has receipts of ${amountOf(shown)}`);
  }
  for (const { leg_id: legId, amount, attempt } of data.items) {
    if (!operation.legs.some((leg) => leg.legId === legId))
      flag(
        'receipts.legs',
        `a receipt of ${amount} is of leg ${legId}, which the operation does not have`,
      );
    if (attempt !== operation.accepted?.attempt)
      flag(
        'receipts.legs',
        `a receipt is of attempt ${attempt}, not ${operation.accepted?.attempt}`,
      );
  }
  const status = data.items.some(({ synthetic }) => synthetic) ? 'partial' : 'complete';
  if (data.status !== status)
    flag('receipts.status', `${data.status}, where the items make it ${status}`);
  const unknown = data.items.find(
    ({ leg_id: legId, synthetic }) =>
      !synthetic && operation.legs.some((leg) => leg.legId === legId && leg.synthetic),
  );
  if (unknown)
    flag(
      'receipts.status',
      `leg ${unknown.leg_id} is an operator's confirmation, but is shown as a transfer`,
    );
  context.rows.evidence?.(data, envelope);
}
