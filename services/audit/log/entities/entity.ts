import { parseExactMinor } from '../operation/exact-arithmetic.ts';
import { hasLegsOfAttempt, type OperationFacts } from '../operation/fold.ts';
import type { ReportOutcome } from '../callbacks/outcomes.ts';
import type { CauseLocation, EventLocation } from '../../report/findings/report-violation.ts';
import type {
  LateRow,
  OperationRows,
  StoredReservation,
} from '../../read-models/rows/stored-rows.ts';

/** The ledger entries of one reservation. */
type ReservationEntries = {
  /** The reserved amount; undefined while there is no reservation. */
  reserved?: string;
  ended?: 'capture' | 'release';
  /** Its row in the read model, if that is compared. */
  row?: StoredReservation;
};

/** Late money: its leg id in the operation, and the ids that its provider may have for it. */
export type LateLeg = { legId: string; attempt: number; providerLegIds: readonly string[] };

type LateMoney = CauseLocation &
  LateLeg & {
    /** The leg whose money was returned; absent for money that came in. */
    ofLegId?: string;
    /** Another id that ledger entries on older late money may have for that leg. */
    orOfLegId?: string;
    /** Set if it corrects the amount of known money, and is no new transfer. */
    difference?: { of: 'transfer' | 'return' | 'approval'; corrects: string };
    /** It requires a webhook to the merchant. */
    notified?: true;
    provider: string;
    amount: string;
    currency: string;
    /** Its row in the read model, if that is compared. */
    row?: LateRow;
  };

type LateStatus = { eventId: string; acknowledged?: true; row?: LateRow };

type AdjustmentFacts = {
  shopId: string;
  adjustmentId: string;
  currency: string;
  amount: string;
  reason: string;
  requestedBy: string;
  /** Its entry must be in the name of who requested it. */
  isStrict: boolean;
  position: number;
  atMs: number;
  /** The revision of its ledger entry. */
  entryRevision?: number;
  noted?: true;
};

export type PersonalKeyFacts = {
  /** How many events its own stream and the erasure's stream have. */
  events: number;
  erasureEvents: number;
  shopId?: string;
  created?: true;
  /** The wrapped key and when it was created, stored if the auditor has the master key. */
  wrapped?: { master_key_id: string; wrapped: string; atMs: number };
  /** How many callbacks it seals, by result. */
  reports?: Partial<Record<ReportOutcome, number>>;
  /** When an operator requested its erasure. */
  requested?: { position: number; atMs: number };
  retired?: true;
  destroyed?: true;
  erased?: true;
  /**
   * The first event that uses this key before the key's own event. That is only allowed if the key
   * was scavenged, which shows when its stream is destroyed later.
   */
  usedBefore?: { stream: string; revision: number; position: number; atMs: number };
};

/**
 * The auditor's state of one operation, adjustment or personal key, from every stream about it.
 * Plain data, so that it can be spilled to a file and read back when its next event is read.
 */
export type AuditedEntity = {
  id: string;
  /** The revision of the newest event in each of its streams. */
  revisions: { operation?: number; late?: number; receipts?: number };
  shopId?: string;
  cancelledFirst?: true;
  operation?: OperationFacts;
  reservations: Record<string, ReservationEntries>;
  credited?: true;
  late: LateMoney[];
  /** Money that arrived for what an operator had approved. */
  confirmed: (LateLeg & {
    amount: string;
    /** It came as more of this leg. */ corrects?: string;
  })[];
  lateStatuses: LateStatus[];
  /** Its money in suspense, and whether that was resolved. */
  suspense: {
    legId: string;
    ofLegId?: string;
    orOfLegId?: string;
    amount: string;
    currency: string;
    resolved?: true;
  }[];
  evidence?: true;
  /** It cost more than agreed, and no event has recorded that yet. */
  overcharge?: EventLocation;
  /** The request in which the provider accepted the newest receipt, if it answered at once. */
  submittedBy?: string;
  /** For an adjustment instead of an operation, by its stream. */
  adjustment?: AdjustmentFacts;
  /** For a client's key instead of an operation, by its stream. */
  personalKey?: PersonalKeyFacts;
  /** The data for its rows in the read models, if they are compared. */
  rows?: OperationRows;
  /** Its rows were made at the earlier position where its read model is compared. */
  rowsSealed?: true;
};

export const newEntity = (id: string): AuditedEntity => ({
  id,
  revisions: {},
  reservations: {},
  late: [],
  confirmed: [],
  lateStatuses: [],
  suspense: [],
});

type Money = { legId: string; ofLegId?: string | undefined; orOfLegId?: string | undefined };

const readOfLegIds = ({ ofLegId, orOfLegId = ofLegId }: Money) => [ofLegId, orOfLegId];

/** A return may have the id of the leg that it reverses. */
export const isSameMoney =
  (of: Money) =>
  (money: Money): boolean =>
    money.legId === of.legId &&
    readOfLegIds(money).some((ofLegId) => readOfLegIds(of).includes(ofLegId));

/** The leg that an entry on late money names. */
export const toLateLeg = ({
  leg_id: legId,
  of_leg_id: ofLegId,
}: {
  leg_id: string;
  of_leg_id?: string | undefined;
}): Money => ({ legId, ofLegId });

/** Something that is due for the operation and missing. */
export type DueItem = {
  rule:
    | 'settlement.missing'
    | 'reservation.not_closed'
    | 'late.suspense_missing'
    | 'late.returned'
    | 'late.overcharge'
    | 'operation.overdue'
    | 'adjustment.missing'
    | 'personal.key_missing'
    | 'personal.erasure'
    | 'payout_file.standstill';
  shopId: string;
  stream: string;
  revision: number;
  /** The position of the event that caused it. */
  position: number;
  /** Since when it is due, in epoch milliseconds. */
  sinceMs: number;
  message: string;
};

/** What is due for an entity and missing; it may still be in flight. */
export function listDueItems(entity: AuditedEntity): DueItem[] {
  const { operation, adjustment, personalKey } = entity;
  if (adjustment) return outstandingAdjustment(entity.id, adjustment);
  if (personalKey) return outstandingKey(entity.id, personalKey);
  if (!operation) return outstandingSuspense(entity);
  return [
    ...dueEntries(entity, operation),
    ...outstandingSuspense(entity),
    ...outstandingReturns(entity, operation),
    ...overdue(operation, entity),
    ...outstandingOvercharge(entity, operation),
  ];
}

function dueEntries(entity: AuditedEntity, operation: OperationFacts): DueItem[] {
  const { end, type, shopId } = operation;
  if (!end) return [];
  const stream = `operation-${entity.id}`;
  const { revision, position, atMs: sinceMs } = end;
  const common = { shopId, stream, revision, position, sinceMs };
  const money = end.recorded !== undefined;
  const figures = `recorded ${end.recorded}, commission ${end.commission}, settlement ${end.settlement}`;
  if (type === 'payment') {
    if (!money || entity.credited) return [];
    const message = `the payment ended ${operation.status} with ${figures}, but no ledger has a credit`;
    return [{ ...common, rule: 'settlement.missing', message }];
  }
  const last = operation.reservations.at(-1);
  return operation.reservations.flatMap((each): DueItem[] => {
    const { reservation, amount, currency } = each;
    if (entity.reservations[reservation]?.ended !== undefined) return [];
    if (money && each === last) {
      const message = `the payout ended ${operation.status} with ${figures}, but no ledger has a capture of reservation ${reservation}`;
      return [{ ...common, rule: 'settlement.missing', message }];
    }
    const message = `reservation ${reservation} of ${amount} ${currency} is open although the payout ended ${operation.status}`;
    return [{ ...common, rule: 'reservation.not_closed', message }];
  });
}

function outstandingSuspense(entity: AuditedEntity): DueItem[] {
  return entity.late.flatMap(
    ({ legId, ofLegId, orOfLegId, amount, currency, atMs, revision, position }): DueItem[] =>
      entity.suspense.some(isSameMoney({ legId, ofLegId, orOfLegId }))
        ? []
        : [
            {
              rule: 'late.suspense_missing',
              shopId: entity.shopId ?? '',
              stream: `late-${entity.id}`,
              revision,
              position,
              sinceMs: atMs,
              message: `late money of leg ${legId}, ${amount} ${currency}, is not in suspense`,
            },
          ],
  );
}

/** A return in excess of its leg is a late fact, even while the operation is open. */
function outstandingReturns({ id, late }: AuditedEntity, operation: OperationFacts): DueItem[] {
  const { returns, shopId } = operation;
  const lateTransfers = late.filter(({ attempt }) => hasLegsOfAttempt(operation, attempt));
  return returns.flatMap(({ legId, ofLegId, amount, counted, atMs, ...location }): DueItem[] =>
    parseExactMinor(amount) === parseExactMinor(counted) ||
    lateTransfers.some((each) => each.providerLegIds.includes(legId) && each.ofLegId !== undefined)
      ? []
      : [
          {
            rule: 'late.returned',
            shopId,
            stream: `operation-${id}`,
            ...location,
            sinceMs: atMs,
            message: `${amount} of leg ${ofLegId} was returned, but only ${counted} of it is recorded`,
          },
        ],
  );
}

/** An operator has to know of it. */
function outstandingOvercharge(
  { id, overcharge }: AuditedEntity,
  { shopId }: OperationFacts,
): DueItem[] {
  if (!overcharge) return [];
  const { atMs: sinceMs, ...location } = overcharge;
  const message = 'the payout cost more than agreed, which is not recorded';
  const stream = `operation-${id}`;
  return [{ rule: 'late.overcharge', shopId, stream, ...location, sinceMs, message }];
}

function outstandingAdjustment(stream: string, adjustment: AdjustmentFacts): DueItem[] {
  const { shopId, amount, currency, position, atMs: sinceMs, entryRevision } = adjustment;
  if (entryRevision !== undefined) return [];
  const message = `an adjustment of ${amount} ${currency} was requested, but no ledger has its entry`;
  return [{ rule: 'adjustment.missing', shopId, stream, revision: 0, position, sinceMs, message }];
}

/**
 * An erasure waits until no process can still use the key, and for operations that began meanwhile.
 */
const erasureMs = 3_600_000;

function outstandingKey(stream: string, facts: PersonalKeyFacts): DueItem[] {
  const { shopId = '', created, requested, destroyed, erased, usedBefore } = facts;
  const missing = usedBefore && !created && !destroyed ? usedBefore : undefined;
  return [
    ...(missing
      ? [
          {
            rule: 'personal.key_missing' as const,
            shopId,
            stream: missing.stream,
            revision: missing.revision,
            position: missing.position,
            sinceMs: missing.atMs,
            message: `it is encrypted with a key that does not exist: ${stream}`,
          },
        ]
      : []),
    ...(requested && !erased
      ? [
          {
            rule: 'personal.erasure' as const,
            shopId,
            stream,
            revision: 0,
            position: requested.position,
            sinceMs: requested.atMs + erasureMs,
            message: 'an operator requested the erasure of its data, which has not completed',
          },
        ]
      : []),
  ];
}

/** How long a provider may take to answer the poll at the end of a payment window. */
const afterExpiryMs = 2 * 3_600_000;

/**
 * Nothing may stay open forever: in each status a timer, a provider or a person must end it.
 * Undefined: not overdue.
 */
function overdue(operation: OperationFacts, { id, revisions }: AuditedEntity): DueItem[] {
  const { status, end, shopId, accepted, attempts, legs, underReview } = operation;
  if (end) return [];
  const outstandingSince = (sinceMs: number, message: string): DueItem[] => [
    {
      rule: 'operation.overdue',
      shopId,
      stream: `operation-${id}`,
      revision: revisions.operation ?? 0,
      position: 0,
      sinceMs,
      message,
    },
  ];
  if (status === 'creating') {
    const until = new Date(operation.acceptUntilMs).toISOString();
    return outstandingSince(
      operation.acceptUntilMs,
      `still being created, the wait for a provider ended at ${until}`,
    );
  }
  if (!accepted) {
    const isUnresolved = attempts.some(({ outcome }) => outcome === 'unresolved');
    return isUnresolved
      ? []
      : outstandingSince(operation.statusMs, `${status} without a provider to wait for`);
  }
  // A receipt under review or a partial transfer keeps the window open until the provider or a
  // person ends it.
  const open =
    operation.type === 'payout' ||
    legs.some(({ amount }) => amount !== '0.00') ||
    underReview !== undefined;
  if (open || accepted.expiresAt === undefined) return [];
  const { expiresAt } = accepted;
  return outstandingSince(
    Date.parse(expiresAt) + afterExpiryMs,
    `still ${status}, its window ended at ${expiresAt}`,
  );
}

/**
 * Whether nothing more is expected. A late fact or a forbidden event may still come, but needs
 * little of the entity.
 */
export function hasNothingOutstanding(entity: AuditedEntity): boolean {
  const { operation, late, suspense, adjustment, personalKey } = entity;
  if (personalKey) return outstandingKey(entity.id, personalKey).length === 0;
  if (adjustment) return adjustment.entryRevision !== undefined && adjustment.noted === true;
  if (!operation?.end || entity.overcharge) return false;
  const withdrawn = operation.attempts.every(({ outcome, attempt }) => {
    if (outcome === 'accepted')
      return (
        operation.accepted?.attempt === attempt &&
        operation.status !== 'cancelled' &&
        operation.reviewed !== 'decline' &&
        !operation.closed
      );
    return outcome === 'refused' || outcome === 'withdrawn';
  });
  const resolved = late.every((money) =>
    suspense.some((each) => isSameMoney(money)(each) && each.resolved),
  );
  const acknowledged = entity.lateStatuses.every((each) => each.acknowledged);
  const outstanding = [...dueEntries(entity, operation), ...outstandingReturns(entity, operation)];
  return withdrawn && resolved && acknowledged && outstanding.length === 0;
}
