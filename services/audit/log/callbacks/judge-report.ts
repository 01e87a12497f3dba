import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import type { StoredReport } from '#shared/platform/event-store/types.ts';
import type { AuditedEntity, PersonalKeyFacts } from '../entities/entity.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Context } from '../pass/context.ts';
import { clientOf, noteUse } from '../personal/judge-personal.ts';
import { sealedPattern } from '../personal/sealed-pattern.ts';
import { contradictionOf, type SignedReport } from './contradiction.ts';
import type { ReportOutcome } from './outcomes.ts';
import type { Append } from './reports.ts';
import { noteUnsigned } from './unsigned.ts';
import { verifyReport } from './verify-report.ts';

/**
 * Checks the callback that is stored with an event, and the later events of the same append, which
 * it also caused.
 */
export function judgeReport(context: Context, envelope: EventEnvelope): void {
  const { report, event } = envelope;
  const added = context.reports.append;
  context.reports.append = undefined;
  if (!report) {
    if (added && isOfAppend(added, envelope)) judgeWords(context, envelope, added.signedReport);
    else {
      judgeUnsigned(context, envelope);
      noteUnsigned(context, envelope);
    }
    return;
  }
  context.reports.since.begin(envelope);
  const [, operationId] = /^(?:operation|late)-(.+)$/.exec(event.stream) ?? [];
  if (operationId === undefined)
    return createFlag(context, envelope)('log.metadata', 'a report without an operation');
  const { shopId, operation } = context.entities.of(operationId);
  const flag = createFlag(context, envelope, shopId);
  if (report.sealed === undefined) {
    const unread = report.unsealed !== undefined;
    if (!unread && (!operation || !context.reports.erased.has(clientOf(operation))))
      flag('report.signature', 'its callback has no body, and its client was never erased');
    context.reports.append = { envelope, signedReport: undefined };
    return context.reports.count(unread ? 'not_read' : 'erased', { shopId });
  }
  const [, keyId] = sealedPattern.exec(report.sealed) ?? [];
  if (keyId === undefined) return flag('personal.in_clear', 'its callback is not encrypted');
  const facts = noteUse(context, envelope, keyId);
  const outcome = outcomeOf(context, envelope, { ...report, sealed: report.sealed }, facts);
  // The operation's entity was loaded meanwhile, which may have spilled the key's entity.
  context.reports.count(outcome, { shopId, facts: noteUse(context, envelope, keyId) });
}

function outcomeOf(
  context: Context,
  envelope: EventEnvelope,
  report: StoredReport & { sealed: string },
  facts: PersonalKeyFacts,
): ReportOutcome {
  const { keys } = context.reports;
  context.reports.append = { envelope, signedReport: undefined };
  if (facts.destroyed) return 'erased';
  if (!keys || !facts.wrapped) return 'not_read';
  const read = verifyReport(envelope, { report, wrapped: facts.wrapped }, keys);
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
function ofItsAccount(context: Context, envelope: EventEnvelope, verdict: Verdict): Verdict {
  if (typeof verdict === 'string' || 'problem' in verdict) return verdict;
  const { signedReport, accounts } = verdict;
  const { operation } = entityOf(context, envelope);
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
  context: Context,
  envelope: EventEnvelope,
  signedReport: SignedReport | undefined,
): boolean {
  context.reports.append = { envelope, signedReport };
  if (!signedReport) return true;
  const entity = entityOf(context, envelope);
  const message = contradictionOf(envelope, { entity, signedReport });
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
function judgeUnsigned(context: Context, envelope: EventEnvelope): void {
  if (!envelope.actor.startsWith('provider:')) return;
  const entity = entityOf(context, envelope);
  if (envelope.type === 'ReceiptSubmitted' && envelope.correlationId !== undefined)
    entity.submittedBy = envelope.correlationId;
  if (entity.submittedBy !== undefined && entity.submittedBy === envelope.correlationId) return;
  if (!context.reports.since.mustName(envelope, { strict: false })) return;
  const message = `no callback of ${envelope.actor} is stored for it`;
  createFlag(context, envelope, entity.shopId)('report.signature', message);
}

const entityOf = ({ entities }: Context, { event: { stream } }: EventEnvelope): AuditedEntity =>
  entities.of(stream.slice(stream.indexOf('-') + 1));
