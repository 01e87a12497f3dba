import {
  projectApproved,
  projectLateFact,
  readResolving,
  resolvedRow,
} from '#projections/suspense/project.ts';
import type { decodeLateEvent } from '#shared/domain/late/events.ts';
import { isSameMoney, toLateLeg, type AuditedEntity } from '../../log/entities/entity.ts';
import { exactText } from '../../log/operation/exact-arithmetic.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import type { RecordedEntry } from './ledger-rows.ts';
import { projectOrSkip } from './put-row.ts';
import type { LateRow } from './stored-rows.ts';
import { withDates, type Put } from './tables.ts';

type Late = ReturnType<typeof decodeLateEvent>;
export type LateInput = { event: Late; envelope: EventEnvelope };

/** Puts the row of a late fact, or of an operator's acknowledgement. */
export function putLate(put: Put, entity: AuditedEntity, { event, envelope }: LateInput): void {
  const { position } = envelope.event;
  if (event.type === 'ApprovedMoneyConfirmed') {
    const row = projectOrSkip(() => projectApproved(envelope) ?? { entry_id: envelope.id });
    const { currency, leg } = event.data;
    const own = { amount: exactText(leg.amount), currency };
    if (row) put('approved_money', row, { own, position });
    return;
  }
  if (event.type === 'LateStatusAcknowledged') {
    const noted = entity.lateStatuses.find(({ eventId }) => eventId === event.data.entry_id);
    return putResolved(put, noted, { resolution: 'acknowledge', envelope });
  }
  const projected = projectOrSkip(() => projectLateFact(envelope));
  if (!projected) return;
  const own = { ...lateAmounts(event), kind: lateKind(event), status: 'open', resolution: null };
  const money =
    'leg' in event.data &&
    entity.late.findLast(
      isSameMoney({
        legId: event.data.leg.leg_id,
        ofLegId: 'of_leg_id' in event.data ? event.data.of_leg_id : undefined,
      }),
    );
  const status = entity.lateStatuses.find(({ eventId }) => eventId === envelope.id);
  const fact = money || status;
  if (fact) fact.row = { projected, own };
  put('suspense', projected, { own, position });
}

type LateFact = Exclude<Late, { type: 'LateStatusAcknowledged' | 'ApprovedMoneyConfirmed' }>;

/** What a late fact is: that decides which way its money went. */
function lateKind({ type, data }: LateFact): string {
  switch (type) {
    case 'LateMoneyReceived':
      return 'late_money';
    case 'MoneyReturned':
      return data.kind === 'returned' ? 'payout_returned' : 'payment_charged_back';
    case 'DifferenceReported':
      if (data.of === 'approval') return 'approved_money_missing';
      return data.of === 'return' ? 'return_corrected' : 'transfer_corrected';
    case 'LateLegCorrected':
      return 'late_correction';
    case 'PayoutOvercharged':
      return 'overcharge';
    case 'LateStatusReported':
      return 'late_status';
  }
}

/** The amounts that a late fact states, and their currency. */
function lateAmounts({ type, data }: LateFact) {
  const isOvercharge = type === 'PayoutOvercharged';
  const compared = 'counted_amount' in data ? data : undefined;
  return {
    currency: 'currency' in data ? data.currency : null,
    amount: 'leg' in data ? exactText(data.leg.amount) : null,
    beyond_amount: type === 'MoneyReturned' ? exactText(data.beyond) : null,
    counted_amount: exactText(isOvercharge ? data.agreed_amount : compared?.counted_amount),
    reported_amount: exactText(isOvercharge ? data.charged_amount : compared?.reported_amount),
  };
}

/** Puts the row of gateway.suspense after an entry resolved its money. */
export function putResolution(
  put: Put,
  entity: AuditedEntity,
  { entry, envelope }: RecordedEntry,
): void {
  if (entry.kind !== 'resolution') return;
  const money = entity.late.find(isSameMoney(toLateLeg(entry)));
  putResolved(put, money, { resolution: entry.resolution, envelope });
}

function putResolved(
  put: Put,
  fact: { row?: LateRow } | undefined,
  { resolution, envelope }: { resolution: string; envelope: EventEnvelope },
): void {
  if (!fact?.row) return;
  const { own } = fact.row;
  const before = withDates('suspense', fact.row.projected);
  const projected = projectOrSkip(() => {
    const decision = readResolving(envelope);
    return decision ? resolvedRow(before, decision, envelope) : before;
  });
  if (!projected) return;
  fact.row = { projected, own: { ...own, status: 'resolved', resolution } };
  put('suspense', projected, { own: fact.row.own, position: envelope.event.position });
}
