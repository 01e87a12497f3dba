import type { ProviderAnswer } from '#shared/domain/operation/attempts/provider-answer.ts';
import type { ReturnedMoney } from '#shared/domain/operation/events.ts';
import type { ProviderReport } from '#shared/domain/operation/reports/report.ts';
import type {
  AttemptKnown,
  ProviderEvidenceItem,
  StatementLine,
  StatementPage,
  Submission,
} from '../connector.ts';
import type {
  WireEvidence,
  WireLeg,
  WireReturn,
  WireSnapshot,
  WireStatement,
  WireStatementLine,
  WireSubmission,
} from './wire.ts';

const maxReasonLength = 500;

/**
 * A submission in the sandbox's format, with no more of the operation than a provider must know.
 */
export function toWire({ type, request, route }: Submission): WireSubmission {
  return {
    type,
    method: request.method,
    amount: request.amount,
    currency: request.currency,
    client_id: request.client_id,
    ...(request.client_ip !== undefined && { client_ip: request.client_ip }),
    ...(type === 'payout' && request.destination && { destination: request.destination }),
    ...(route.conversion && { settlement_currency: route.conversion.settlement_currency }),
    ...(route.options && { options: route.options }),
  };
}

/** Whether the attempt was accepted, by a snapshot; undefined while that is undecided. */
export function toProviderAnswer(snapshot: WireSnapshot): ProviderAnswer | undefined {
  switch (snapshot.acceptance) {
    case 'received':
      return undefined;
    case 'refused':
      return {
        outcome: 'refused',
        reason: storableReason(snapshot.refusal_reason ?? 'no reason given'),
      };
    case 'void':
      return { outcome: 'refused', reason: 'withdrawn' };
    case 'accepted': {
      const { reference, requisites, expires_at, fx_rate } = snapshot;
      if (reference === undefined) return undefined;
      return {
        outcome: 'accepted',
        providerReference: reference,
        ...(requisites && { requisites }),
        ...(expires_at !== undefined && { expiresAt: toTime(expires_at) }),
        ...(fx_rate !== undefined && { fxRate: fx_rate }),
      };
    }
  }
}

/** A refusal may have any text; only text that every store accepts is stored. */
function storableReason(reason: string): string {
  return reason.slice(0, maxReasonLength).toWellFormed().replaceAll('\0', '\uFFFD');
}

function toProviderReport(snapshot: WireSnapshot): ProviderReport {
  const { attempt, version, status, legs, returns, evidence, review } = snapshot;
  return {
    attempt,
    version,
    status,
    legs: legs.map(toLeg),
    ...(returns && { returns: returns.map(toReturned) }),
    ...(evidence && { evidence }),
    ...(review && {
      review: {
        receiptId: review.receipt_id,
        state: review.state,
        ...(review.reason !== undefined && { reason: review.reason }),
      },
    }),
  };
}

/** The full report of a snapshot; undefined while the attempt is undecided. */
export function toAttemptKnown(snapshot: WireSnapshot): AttemptKnown | undefined {
  const answer = toProviderAnswer(snapshot);
  return answer && { answer, report: toProviderReport(snapshot) };
}

export function evidenceItems({ items }: WireEvidence): ProviderEvidenceItem[] {
  return items.map((item) => ({ ...toLeg(item), synthetic: item.synthetic }));
}

function toLeg({ leg_id, amount, completed_at, file }: WireLeg): WireLeg {
  return { leg_id, amount, completed_at: toTime(completed_at), file };
}

function toReturned({ leg_id, of_leg_id, amount, completed_at }: WireReturn): ReturnedMoney {
  return { leg_id, of_leg_id, amount, completed_at: toTime(completed_at) };
}

/** Times are compared as text, which requires one format: UTC with milliseconds. */
function toTime(time: string): string {
  return new Date(time).toISOString();
}

export function statementPage({
  lines,
  more,
  page,
  final,
  ...balances
}: WireStatement): StatementPage {
  return {
    outcome: 'known',
    lines: lines.map(statementLine),
    ...(more && { next: String(page + 1) }),
    final,
    openingBalance: balances.opening_balance,
    closingBalance: balances.closing_balance,
  };
}

function statementLine(line: WireStatementLine): StatementLine {
  const {
    kind,
    direction,
    leg_id,
    of_leg_id,
    operation_id: operationId,
    attempt,
    amount,
    completed_at,
  } = line;
  return {
    kind,
    direction,
    legId: leg_id,
    ...(of_leg_id !== undefined && { ofLegId: of_leg_id }),
    ...(operationId !== undefined && attempt !== undefined && { of: { operationId, attempt } }),
    amount,
    completedAt: new Date(completed_at).toISOString(),
  };
}
