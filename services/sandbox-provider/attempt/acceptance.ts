import type { WireSubmission } from '#shared/application/providers/sandbox/wire.ts';
import { optionsByAmount, readSandboxOptions } from './options.ts';
import { quote } from './quote.ts';
import {
  changed,
  type AttemptRecord,
  type SandboxContext,
  type SubmittedAttempt,
} from './record.ts';
import { purposeFor, requisitesFor } from './requisites.ts';

type Key = { key: string; operationId: string; attempt: number; account?: string | undefined };

/**
 * A first submission under a key. It is decided at once unless its answer is delayed. `byAmount`:
 * where the route gives no options, the amount may choose them.
 */
export function receive(
  key: Key,
  submitted: { body: WireSubmission; hash: string; byAmount?: boolean },
  now: SandboxContext,
): SubmittedAttempt {
  const { body, hash, byAmount = false } = submitted;
  const read = readSandboxOptions(byAmount ? optionsByAmount(body) : body.options);
  const { options } = read;
  const received: SubmittedAttempt = {
    ...key,
    version: 1,
    submission: { body, hash, options, receivedAt: new Date(now.nowMs).toISOString(), times: 1 },
    acceptance: 'received',
    status: 'open',
    legs: [],
  };
  if (!read.ok) return refuseAttempt(received, read.reason);
  if (options.accept_delay_ms > 0)
    return { ...received, decideAtMs: now.nowMs + options.accept_delay_ms };
  return decide(received, now);
}

/**
 * Decides as the options say. `error` and `hang` leave the attempt undecided until a command or a
 * withdrawal decides it; the autopilot does so for a payout, whose money then went out although no
 * answer was sent.
 */
export function decide(record: SubmittedAttempt, now: SandboxContext): SubmittedAttempt {
  if (record.acceptance !== 'received') return record;
  switch (record.submission.options.accept) {
    case 'accept':
      return acceptAttempt(record, now);
    case 'decline':
      return refuseAttempt(record, 'declined');
    case 'error':
    case 'hang': {
      const { decideAtMs: _, ...undecided } = record;
      return record.submission.body.type === 'payout'
        ? { ...undecided, ...scheduleAutopilot(record, now) }
        : undecided;
    }
  }
}

/** A payment gets requisites and perhaps an expiry; a converting one a quote. */
export function acceptAttempt(
  record: SubmittedAttempt,
  { nowMs, newId }: SandboxContext,
): SubmittedAttempt {
  const { body, options } = record.submission;
  const { decideAtMs: _, ...rest } = record;
  const payment = body.type === 'payment';
  const fxRate =
    body.settlement_currency === undefined
      ? undefined
      : quote({ from: body.currency, to: body.settlement_currency }, options.fx_rate);
  if (body.settlement_currency !== undefined && fxRate === undefined)
    return refuseAttempt(record, 'no_quote');
  return changed(rest, {
    acceptance: 'accepted',
    reference: `sbx_${newId()}`,
    ...(payment && {
      requisites: {
        ...requisitesFor(record.key, body.method),
        ...(options.transfer_purpose && { transfer_purpose: purposeFor(record.key) }),
      },
    }),
    ...(payment &&
      options.expires_in_s !== undefined && {
        expiresAt: new Date(nowMs + options.expires_in_s * 1000).toISOString(),
      }),
    ...(fxRate !== undefined && { fxRate }),
    ...scheduleAutopilot(record, { nowMs, newId }),
  });
}

function scheduleAutopilot(
  { autopilotAtMs, submission }: SubmittedAttempt,
  { nowMs }: SandboxContext,
) {
  const { autopilot_ms: afterMs } = submission.options;
  if (autopilotAtMs !== undefined || afterMs === undefined) return {};
  return { autopilotAtMs: nowMs + afterMs };
}

export function refuseAttempt<Kind extends AttemptRecord>(record: Kind, reason: string): Kind {
  const { decideAtMs: _, ...rest } = record;
  return changed(rest as Kind, {
    acceptance: 'refused',
    refusalReason: reason,
    status: 'declined',
  });
}

/** A key that is closed before anything was submitted under it. */
export function closeAttempt(key: Key): AttemptRecord {
  return { ...key, version: 1, acceptance: 'void', status: 'withdrawn', legs: [] };
}

/** Withdraws an attempt. One that has ended stays as it is, and the answer shows its end. */
export function withdrawAttempt(record: AttemptRecord, { nowMs }: SandboxContext): AttemptRecord {
  const before = record.withdrawal;
  const withdrawal = {
    at: before?.at ?? new Date(nowMs).toISOString(),
    times: (before?.times ?? 0) + 1,
  };
  if (record.status !== 'open') return { ...record, withdrawal };
  const ended =
    record.acceptance === 'received' ? refuseAttempt(record, 'withdrawn') : changed(record, {});
  return { ...ended, status: 'withdrawn', withdrawal };
}
