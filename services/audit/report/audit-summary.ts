import type { AuditOutcome } from '#shared/domain/audit/events.ts';
import { ruleCodes, rules, type RuleCode } from '#shared/domain/audit/rules.ts';
import { summarizeRules, type AuditSummary } from '#shared/domain/audit/summary.ts';
import type { Subject } from '#shared/domain/audit/subjects.ts';
import type { AuditResult } from '../audit.ts';
import type { Findings } from './findings/findings.ts';
import type { ReportFigures } from '../log/callbacks/reports.ts';

export type JudgedRule = { rule: RuleCode; checked: number; violations: number };

export const listNotCompared = ({
  outside,
  files,
  reports,
  unverifiedSignatures,
}: AuditResult): string[] => [
  ...(outside?.notCompared ?? []),
  ...(files?.notCompared ?? []),
  ...(reports.tried && reports.stored > reports.erased && !wereReportsRead(reports)
    ? ['signed callbacks: none can be decrypted with the provided keys']
    : []),
  ...(unverifiedSignatures > 0
    ? ['signatures of events: none was verified, because LOG_SIGNING_KEYS is not set']
    : []),
];

const wereReportsRead = ({ verified, failed }: ReportFigures): boolean => verified + failed > 0;

/** Whether everything could be compared. */
export const isCompleteAudit = (result: AuditResult): boolean =>
  listNotCompared(result).length === 0;

export const computeAuditSummary = (result: AuditResult, findings: Findings): AuditSummary =>
  summarizeRules(judgedRules(result, findings));

const bySignature: ReadonlySet<RuleCode> = new Set([
  'log.unsigned',
  'log.signature',
  'authority.signer',
]);

/** The rules that this audit could judge: without tables, for example, none about tables. */
export function judged(result: AuditResult): RuleCode[] {
  const { outside, files, sinceHolds, reports, unverifiedSignatures } = result;
  return ruleCodes.filter((code) => {
    if (bySignature.has(code)) return unverifiedSignatures === 0;
    if (code.startsWith('receipt_file.'))
      return files !== undefined && (files.compared > 0 || files.notCompared.length === 0);
    if (code.startsWith('report.')) return wereReportsRead(reports);
    if (code === 'checkpoint.recorded') return true;
    if (code.startsWith('checkpoint.')) return sinceHolds !== undefined;
    return outside !== undefined || !/^(webhook|read_model)\./.test(code);
  });
}

/** Every rule, with how many things it checked. A rule with none was not tested. */
export function judgedRules(result: AuditResult, findings: Findings): JudgedRule[] {
  const counts = findings.counts();
  const all = checkedIn(result);
  return ruleCodes.map((rule) => ({
    rule,
    checked: all[rules[rule].of] ?? 0,
    violations: counts[rule] ?? 0,
  }));
}

function checkedIn({
  checked,
  outside,
  files,
  reports,
  sinceHolds,
}: AuditResult): Partial<Record<Subject, number>> {
  const { messages = 0, ...tables } = outside?.rows ?? {};
  return {
    ...checked,
    callbacks: reports.verified + reports.failed,
    checkpoints: sinceHolds === undefined ? 0 : 1,
    messages,
    receipt_files: files?.compared ?? 0,
    rows: Object.values(tables).reduce((sum, rows) => sum + rows, 0),
    read_models: Object.values(outside?.readModels ?? {}).filter(({ compared }) => compared).length,
  };
}

export function computeAuditOutcome(result: AuditResult, findings: Findings): AuditOutcome {
  if (findings.total() > 0) return 'violated';
  if (!isCompleteAudit(result)) return 'incomplete';
  return result.chain.events === 0 ? 'nothing' : 'holds';
}
