import type {
  WireLeg,
  WireReturn,
  WireReview,
  WireSnapshot,
  WireSubmission,
} from '#shared/application/providers/sandbox/wire.ts';
import type { Options } from './options.ts';

/** The provider's record of one attempt. */
export type AttemptRecord = {
  key: string;
  operationId: string;
  attempt: number;
  /** The account that submitted it; absent: the first one. */
  account?: string | undefined;
  /** Goes up with every change. */
  version: number;
  /** Absent if the key was closed before a submission. */
  submission?: {
    body: WireSubmission;
    /** Hash of the body: a repeat must have the same one. */
    hash: string;
    options: Options;
    receivedAt: string;
    /** How often it came. */
    times: number;
  };
  withdrawal?: { at: string; times: number };
  acceptance: WireSnapshot['acceptance'];
  /** Until when an answer is delayed (`accept_delay_ms`). */
  decideAtMs?: number;
  /** When it completes by itself (`autopilot_ms`). */
  autopilotAtMs?: number;
  refusalReason?: string;
  reference?: string;
  requisites?: WireSnapshot['requisites'];
  expiresAt?: string;
  fxRate?: string;
  status: WireSnapshot['status'];
  legs: readonly WireLeg[];
  /** The returns of the legs. */
  returns?: readonly WireReturn[];
  /** When money is returned by the timer (`return_ms`). */
  returnAtMs?: number;
  review?: WireReview;
};

export type SubmittedAttempt = AttemptRecord & {
  submission: NonNullable<AttemptRecord['submission']>;
};

export const isSubmitted = (record: AttemptRecord): record is SubmittedAttempt =>
  record.submission !== undefined;

/** The inputs of a change, which is pure. */
export type SandboxContext = { nowMs: number; newId: () => string };

export function changed<Kind extends AttemptRecord>(
  record: Kind,
  change: Partial<AttemptRecord>,
): Kind {
  return { ...record, ...change, version: record.version + 1 };
}

const keyPattern = /^([A-Za-z0-9-]{1,64})\.([1-9]\d{0,5})$/;

/** `<operation_id>.<attempt>` */
export function parseKey(key: string): { operationId: string; attempt: number } | undefined {
  const [, operationId, attempt] = keyPattern.exec(key) ?? [];
  return operationId === undefined ? undefined : { operationId, attempt: Number(attempt) };
}

/** The record as the provider reports it (docs/merchants/sandbox-provider.md). */
export function toSnapshot(record: AttemptRecord): WireSnapshot {
  const { refusalReason, reference, requisites, expiresAt, fxRate, review } = record;
  return {
    key: record.key,
    operation_id: record.operationId,
    attempt: record.attempt,
    version: record.version,
    acceptance: record.acceptance,
    ...(refusalReason !== undefined && { refusal_reason: refusalReason }),
    ...(reference !== undefined && { reference }),
    ...(requisites && { requisites }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(fxRate !== undefined && { fx_rate: fxRate }),
    status: record.status,
    legs: [...record.legs],
    ...(record.returns && { returns: [...record.returns] }),
    ...(record.submission?.options.evidence === 'complete' && { evidence: 'legs' as const }),
    ...(review && { review }),
  };
}

/**
 * The attempt that a control command means: the one that was accepted and not withdrawn, else one
 * that was accepted, else the newest submitted one.
 */
export function findControlledAttempt(
  records: readonly AttemptRecord[],
): SubmittedAttempt | undefined {
  const rank = (record: AttemptRecord) =>
    record.acceptance === 'accepted' ? (record.status === 'withdrawn' ? 1 : 2) : 0;
  return records
    .filter(isSubmitted)
    .toSorted((left, right) => rank(right) - rank(left) || right.attempt - left.attempt)[0];
}
