import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import type { StoredReport } from '#shared/platform/event-store/types.ts';
import type { AuditedEntity, PersonalKeyFacts } from '../entities/entity.ts';
import { reportViolation, type Seen } from '../../report/findings/report-violation.ts';
import type { Context } from '../pass/context.ts';
import { clientOf, noteUse } from '../personal/judge-personal.ts';
import { sealedPattern } from '../personal/sealed-pattern.ts';
import { contradictionOf, type Told } from './contradiction.ts';
import type { ReportOutcome } from './outcomes.ts';
import type { Append } from './reports.ts';
import { noteUnsigned } from './unsigned.ts';
import { verifyReport } from './verify-report.ts';

/**
 * Checks the callback that is stored with an event, and the later events of the same append, which
 * it also caused.
 */
export function judgeReport(context: Context, seen: Seen): void {
  const { report, event } = seen;
  const added = context.reports.append;
  context.reports.append = undefined;
  if (!report) {
    if (added && isOfAppend(added, seen)) judgeWords(context, seen, added.told);
    else {
      judgeUnsigned(context, seen);
      noteUnsigned(context, seen);
    }
    return;
  }
  context.reports.since.begin(seen);
  const [, operationId] = /^(?:operation|late)-(.+)$/.exec(event.stream) ?? [];
  if (operationId === undefined)
    return reportViolation(context, seen, {
      rule: 'log.metadata',
      message: 'a report without an operation',
    });
  const { shopId, operation } = context.entities.of(operationId);
  if (report.sealed === undefined) {
    const unread = report.unsealed !== undefined;
    if (!unread && (!operation || !context.reports.erased.has(clientOf(operation)))) {
      const message = 'its callback has no body, and its client was never erased';
      reportViolation(context, seen, { rule: 'report.signature', message, shopId });
    }
    context.reports.append = { seen, told: undefined };
    return context.reports.count(unread ? 'not_read' : 'erased', { shopId });
  }
  const [, keyId] = sealedPattern.exec(report.sealed) ?? [];
  if (keyId === undefined) {
    const message = 'its callback is not encrypted';
    return reportViolation(context, seen, { rule: 'personal.in_clear', message, shopId });
  }
  const facts = noteUse(context, seen, keyId);
  const kept = { ...report, sealed: report.sealed };
  const outcome = outcomeOf(context, seen, { kept, facts });
  // The operation's entity was loaded meanwhile, which may have spilled the key's entity.
  context.reports.count(outcome, { shopId, facts: noteUse(context, seen, keyId) });
}

function outcomeOf(
  context: Context,
  seen: Seen,
  { kept, facts }: { kept: StoredReport & { sealed: string }; facts: PersonalKeyFacts },
): ReportOutcome {
  const { keys } = context.reports;
  context.reports.append = { seen, told: undefined };
  if (facts.destroyed) return 'erased';
  if (!keys || !facts.wrapped) return 'not_read';
  const read = verifyReport(seen, { report: kept, wrapped: facts.wrapped }, keys);
  const verdict = ofItsAccount(context, seen, read);
  if (verdict === 'no_secret') context.reports.missSecret(kept.secret_hint);
  if (typeof verdict === 'string') return verdict;
  if ('told' in verdict) {
    context.reports.append = { seen, told: verdict.told };
    return judgeWords(context, seen, verdict.told) ? 'verified' : 'failed';
  }
  reportViolation(context, seen, {
    rule: 'report.signature',
    message: verdict.problem,
    shopId: facts.shopId,
  });
  return 'failed';
}

type Verdict = ReturnType<typeof verifyReport>;

/** An account's secret signs what is of that account's attempts, and nothing else (R23.3). */
function ofItsAccount(context: Context, seen: Seen, verdict: Verdict): Verdict {
  if (typeof verdict === 'string' || 'problem' in verdict) return verdict;
  const { told, accounts } = verdict;
  const { operation } = entityOf(context, seen);
  const attempt = operation?.attempts.find((each) => each.attempt === told.attempt);
  if (!attempt) return verdict;
  const { provider, account = defaultAccount } = attempt;
  if (accounts.includes(account)) return verdict;
  // Accounts may share a secret: without any of this one, nobody can say that it is not its own.
  const known = [...(context.reports.keys?.secrets.values() ?? [])].flat();
  if (!known.some((each) => each.provider === provider && each.account === account))
    return 'no_secret';
  return {
    problem: `account ${accounts.join(', ')} signed it, but it belongs to account ${account}`,
  };
}

/**
 * Compares an event with what its provider signed, if that could be read.
 * @returns whether they agree
 */
function judgeWords(context: Context, seen: Seen, told: Told | undefined): boolean {
  context.reports.append = { seen, told };
  if (!told) return true;
  const entity = entityOf(context, seen);
  const message = contradictionOf(seen, { entity, told });
  if (message === undefined) return true;
  reportViolation(context, seen, { rule: 'report.signature', message, shopId: entity.shopId });
  return false;
}

/** Events of one append are adjacent, and only the first carries the callback. */
const isOfAppend = ({ seen: { event, actor, correlationId } }: Append, next: Seen): boolean =>
  next.event.stream === event.stream &&
  next.event.revision === event.revision + 1 &&
  next.actor === actor &&
  next.correlationId === correlationId;

/**
 * Without a callback, the provider's report was the answer to an upload, so the event belongs to
 * that request.
 */
function judgeUnsigned(context: Context, seen: Seen): void {
  if (!seen.actor.startsWith('provider:')) return;
  const entity = entityOf(context, seen);
  if (seen.type === 'ReceiptSubmitted' && seen.correlationId !== undefined)
    entity.submittedBy = seen.correlationId;
  if (entity.submittedBy !== undefined && entity.submittedBy === seen.correlationId) return;
  if (!context.reports.since.wasOwed(seen, { strict: false })) return;
  const message = `no callback of ${seen.actor} is stored for it`;
  reportViolation(context, seen, { rule: 'report.signature', message, shopId: entity.shopId });
}

const entityOf = ({ entities }: Context, { event: { stream } }: Seen): AuditedEntity =>
  entities.of(stream.slice(stream.indexOf('-') + 1));
