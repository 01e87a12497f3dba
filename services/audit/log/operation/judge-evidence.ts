import { decodeEvidenceEvent } from '#shared/domain/evidence/events.ts';
import { dayMs } from '#shared/domain/day.ts';
import type { AuditedEntity } from '../entities/entity.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../pass/context.ts';
import { formatExactMinor, parseExactMinor, sumAmounts } from './exact-arithmetic.ts';
import { auditedRoute, type OperationFacts } from './fold.ts';

/** Checks an operation's receipts (R10.4, R10.5). @throws when they can't be decoded */
export function judgeEvidence(
  context: AuditContext,
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
    const shown = sumAmounts(items.map((item) => item.amount));
    if (shown !== parseExactMinor(amount))
      flag('receipts.legs', `leg ${legId} of ${amount} has receipts of ${formatExactMinor(shown)}`);
  }
  const ids = data.items.map(({ receipt_id: id }) => id);
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) flag('receipts.legs', `two receipts have the id ${repeated}`);
  for (const item of data.items) {
    const { leg_id: legId, amount, attempt, provider } = item;
    const leg = operation.legs.find((each) => each.legId === legId);
    if (!leg)
      flag(
        'receipts.legs',
        `a receipt of ${amount} is of leg ${legId}, which the operation does not have`,
      );
    if (attempt !== operation.accepted?.attempt)
      flag(
        'receipts.legs',
        `a receipt is of attempt ${attempt}, not ${operation.accepted?.attempt}`,
      );
    if (provider !== auditedRoute(operation)?.provider)
      flag(
        'receipts.legs',
        `a receipt is of ${provider}, not ${auditedRoute(operation)?.provider}`,
      );
    if (parseExactMinor(amount) < 0n)
      flag('receipts.legs', `a receipt of leg ${legId} has ${amount}`);
    flag('receipts.legs', leg && whyNotItsTime(leg, item));
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

type Item = ReturnType<typeof decodeEvidenceEvent>['data']['items'][number];

/** A provider's several transfers of one leg have their own times, within a day of the leg's. */
const whyNotItsTime = (
  { legId, completedAt }: OperationFacts['legs'][number],
  { completed_at: shownAt }: Item,
): string | undefined =>
  Math.abs(Date.parse(shownAt) - Date.parse(completedAt)) <= dayMs
    ? undefined
    : `a receipt of leg ${legId} of ${completedAt} is of ${shownAt}`;
