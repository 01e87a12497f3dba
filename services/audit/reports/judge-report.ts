import type { KeptReport } from '#shared/platform/event-store/types.ts';
import type { PersonalKeyFacts } from '../dossier/dossier.ts';
import { accuse, type Seen } from '../findings/accuse.ts';
import type { Context } from '../pass/context.ts';
import { noteUse } from '../personal/judge-personal.ts';
import { sealedPattern } from '../personal/sealed-pattern.ts';
import type { ReportOutcome } from './outcomes.ts';
import { verifyReport } from './verify-report.ts';

/** Judges the callback that an event is kept with, where there is one. */
export function judgeReport(context: Context, seen: Seen): void {
  const { report, event } = seen;
  if (!report) return;
  const [, operationId] = /^(?:operation|late)-(.+)$/.exec(event.stream) ?? [];
  if (operationId === undefined)
    return accuse(context, seen, { rule: 'log.metadata', message: 'a report of no operation' });
  const { shopId } = context.dossiers.of(operationId);
  if (report.sealed === undefined) return context.reports.count('erased', { shopId });
  const [, keyId] = sealedPattern.exec(report.sealed) ?? [];
  if (keyId === undefined) {
    const message = 'the callback that it came of is not sealed';
    return accuse(context, seen, { rule: 'personal.in_clear', message, shopId });
  }
  const facts = noteUse(context, seen, keyId);
  const kept = { ...report, sealed: report.sealed };
  context.reports.count(outcomeOf(context, seen, { kept, facts }), { shopId, facts });
}

function outcomeOf(
  context: Context,
  seen: Seen,
  { kept, facts }: { kept: KeptReport & { sealed: string }; facts: PersonalKeyFacts },
): ReportOutcome {
  const { keys } = context.reports;
  if (facts.destroyed) return 'erased';
  if (!keys || !facts.wrapped) return 'not_read';
  const verdict = verifyReport(seen, { report: kept, wrapped: facts.wrapped }, keys);
  if (verdict === 'no_secret') context.reports.missSecret(kept.secret_hint);
  if (typeof verdict === 'string') return verdict;
  accuse(context, seen, { rule: 'report.signature', message: verdict.problem, shopId: facts.shopId });
  return 'failed';
}
