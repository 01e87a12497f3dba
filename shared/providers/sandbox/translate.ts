import type { AttemptAnswer } from '#shared/domain/operation/create.ts';
import type { ProviderReport } from '#shared/domain/operation/settle.ts';
import type { Submission } from '../connector.ts';
import type { WireSnapshot, WireSubmission } from './wire.ts';

/** A submission as the sandbox takes it: no more of the operation than a provider must know. */
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

/** What a snapshot says to the question whether the attempt was taken; nothing while that is not decided. */
export function answerOf(snapshot: WireSnapshot): AttemptAnswer | undefined {
  switch (snapshot.acceptance) {
    case 'received':
      return undefined;
    case 'refused':
      return { outcome: 'refused', reason: snapshot.refusal_reason ?? 'no reason given' };
    case 'void':
      return { outcome: 'refused', reason: 'withdrawn' };
    case 'accepted': {
      const { reference, requisites, expires_at, fx_rate } = snapshot;
      if (reference === undefined) return undefined;
      return {
        outcome: 'accepted',
        providerReference: reference,
        ...(requisites && { requisites }),
        ...(expires_at !== undefined && { expiresAt: expires_at }),
        ...(fx_rate !== undefined && { fxRate: fx_rate }),
      };
    }
  }
}

export function reportOf({ attempt, status, legs }: WireSnapshot): ProviderReport {
  return { attempt, status, legs };
}
