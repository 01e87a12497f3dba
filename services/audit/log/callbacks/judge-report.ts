import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import type { StoredReport } from '#shared/platform/event-store/types.ts';
import { graceMs } from '../../authority/commands.ts';
import type { AuditedEntity, PersonalKeyFacts } from '../entities/entity.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { AuditContext } from '../pass/context.ts';
import { noteUse } from '../personal/judge-personal.ts';
import { clientKey, isItsKey } from '../personal/own-keys.ts';
import { auditedSealedPattern } from '../personal/sealed-pattern.ts';
import { findContradiction, type SignedClaim } from './contradiction.ts';
import type { ReportOutcome } from './outcomes.ts';
import type { Append } from './reports.ts';
import { whyReadable, whyUnreadable } from './client-keys.ts';
import { noteRate, noteUnsigned } from './unsigned.ts';
import { verifyReport } from './verify-report.ts';

/**
 * Checks the callback that is stored with an event, and the later events of the same append, which
 * it also caused.
 */
export function judgeReport(context: AuditContext, envelope: EventEnvelope): void {
  const { report, event } = envelope;
  const added = context.reports.append;
  context.reports.append = undefined;
  if (!report) {
    if (added && isOfAppend(added, envelope)) judgeWords(context, envelope, added.signedReport);
    else {
      judgeUnsigned(context, envelope);
      noteUnsigned(context, envelope, 'responses');
    }
    return;
  }
  context.reports.since.begin(envelope);
  const [, operationId] = /^(?:operation|late)-(.+)$/.exec(event.stream) ?? [];
  if (operationId === undefined)
    return createFlag(context, envelope)('log.metadata', 'a report without an operation');
  const { sealed } = report;
  const { shopId } = context.entities.of(operationId);
  createFlag(context, envelope, shopId)('report.signature', whyNotOfItsTime(report, envelope));
  context.reports.append = { envelope, signedReport: undefined };
  if (sealed === undefined) judgeWithoutBody(context, envelope, report);
  else judgeWithBody(context, envelope, { ...report, sealed });
  if (!context.reports.append.signedReport) noteUnsigned(context, envelope, 'callbacks');
}

/** How far a callback's time may be from that of the gateway that takes it. */
const toleranceMs = 5 * 60_000;

/**
 * A callback is taken around the time that its provider signed, so none is stored again later. The
 * minute more is for the clocks of gateway and store, and for the append, which takes up to 20 s.
 */
function whyNotOfItsTime(
  { timestamp }: StoredReport,
  { atMs }: Pick<EventEnvelope, 'atMs'>,
): string | undefined {
  const signedMs = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN;
  return Math.abs(atMs - signedMs) <= toleranceMs + graceMs
    ? undefined
    : `its callback was signed at ${timestamp}, not when it was recorded`;
}

/** A callback is stored without its body if its client was erased, or its key can't be read. */
function judgeWithoutBody(
  context: AuditContext,
  envelope: EventEnvelope,
  report: StoredReport,
): void {
  const { shopId, operation } = findEntity(context, envelope);
  const { reports } = context;
  const flag = createFlag(context, envelope, shopId);
  const isUnread = report.unsealed !== undefined;
  if (isUnread) flag('report.signature', operation && whyReadable(context, envelope, operation));
  else if (!operation || !reports.erasures.has(clientKey(operation)))
    flag('report.signature', 'its callback has no body, and its client was never erased');
  reports.count(isUnread ? 'not_read' : 'erased', { shopId });
}

function judgeWithBody(
  context: AuditContext,
  envelope: EventEnvelope,
  report: StoredReport & { sealed: string },
): void {
  const { shopId, operation } = findEntity(context, envelope);
  const flag = createFlag(context, envelope, shopId);
  const [, keyId] = auditedSealedPattern.exec(report.sealed) ?? [];
  if (keyId === undefined) return flag('personal.in_clear', 'its callback is not encrypted');
  if (operation && !isItsKey(context, operation, keyId))
    flag('report.signature', 'its callback is encrypted with the key of another client');
  const facts = noteUse(context, envelope, keyId);
  const outcome = judgeOutcome(context, envelope, report, facts);
  // The operation's entity was loaded meanwhile, which may have spilled the key's entity.
  context.reports.count(outcome, { shopId, facts: noteUse(context, envelope, keyId) });
}

function judgeOutcome(
  context: AuditContext,
  envelope: EventEnvelope,
  report: StoredReport & { sealed: string },
  facts: PersonalKeyFacts,
): ReportOutcome {
  const { keys, opened } = context.reports;
  if (facts.destroyed) return 'erased';
  if (!keys || !facts.wrapped) return 'not_read';
  const read = verifyReport(envelope, { report, wrapped: facts.wrapped }, keys);
  if (read === 'no_master_key')
    createFlag(
      context,
      envelope,
      facts.shopId,
    )('report.signature', whyUnreadable(opened, facts.wrapped));
  else opened.begin(facts.wrapped);
  const verdict = ofItsAccount(context, envelope, read);
  if (verdict === 'no_secret') context.reports.missSecret(report.secret_hint);
  if (typeof verdict === 'string') return verdict;
  if ('signedReport' in verdict) {
    context.reports.append = { envelope, signedReport: verdict.signedReport };
    return judgeWords(context, envelope, verdict.signedReport) ? 'verified' : 'failed';
  }
  createFlag(context, envelope, facts.shopId)('report.signature', verdict.problem);
  return 'failed';
}

type Verdict = ReturnType<typeof verifyReport>;

/** An account's secret signs only reports of that account's attempts (R23.3). */
function ofItsAccount(context: AuditContext, envelope: EventEnvelope, verdict: Verdict): Verdict {
  if (typeof verdict === 'string' || 'problem' in verdict) return verdict;
  const { signedReport, accounts } = verdict;
  const { operation } = findEntity(context, envelope);
  const attempt = operation?.attempts.find((each) => each.attempt === signedReport.attempt);
  if (!attempt) return verdict;
  const { provider, account = defaultAccount } = attempt;
  if (accounts.includes(account)) return verdict;
  // Accounts may share a secret: without this account's secrets it may be its own.
  const configuredSecrets = [...(context.reports.keys?.secrets.values() ?? [])].flat();
  if (!configuredSecrets.some((each) => each.provider === provider && each.account === account))
    return 'no_secret';
  return {
    problem: `account ${accounts.join(', ')} signed it, but it belongs to account ${account}`,
  };
}

/**
 * Compares an event with what its provider signed, if that could be read.
 * @returns whether they agree
 */
function judgeWords(
  context: AuditContext,
  envelope: EventEnvelope,
  signedReport: SignedClaim | undefined,
): boolean {
  context.reports.append = { envelope, signedReport };
  if (!signedReport) {
    noteUnsigned(context, envelope, 'callbacks');
    return true;
  }
  noteRate(context, envelope, signedReport);
  const entity = findEntity(context, envelope);
  const message = findContradiction(envelope, { entity, signedReport });
  createFlag(context, envelope, entity.shopId)('report.signature', message);
  return message === undefined;
}

/** Events of one append are adjacent, and only the first carries the callback. */
const isOfAppend = (
  { envelope: { event, actor, correlationId } }: Append,
  next: EventEnvelope,
): boolean =>
  next.event.stream === event.stream &&
  next.event.revision === event.revision + 1 &&
  next.actor === actor &&
  next.correlationId === correlationId;

/**
 * Without a callback, the provider's report was the answer to an upload, so the event belongs to
 * that request.
 */
function judgeUnsigned(context: AuditContext, envelope: EventEnvelope): void {
  if (!envelope.actor.startsWith('provider:')) return;
  const entity = findEntity(context, envelope);
  if (envelope.type === 'ReceiptSubmitted' && envelope.correlationId !== undefined)
    entity.submittedBy = envelope.correlationId;
  if (entity.submittedBy !== undefined && entity.submittedBy === envelope.correlationId) return;
  if (!context.reports.since.mustName(envelope, { strict: false })) return;
  const message = `no callback of ${envelope.actor} is stored for it`;
  createFlag(context, envelope, entity.shopId)('report.signature', message);
}

const findEntity = (
  { entities }: AuditContext,
  { event: { stream } }: EventEnvelope,
): AuditedEntity => entities.of(stream.slice(stream.indexOf('-') + 1));
