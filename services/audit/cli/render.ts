import type { MoneyTotals } from '#shared/domain/audit/events.ts';
import { moneyAccounts } from '#shared/domain/audit/money-names.ts';
import { ruleCodes, rules } from '#shared/domain/audit/rules.ts';
import { summaryText } from '#shared/domain/audit/summary.ts';
import type { AuditResult } from '../audit.ts';
import type { Findings } from '../report/findings/findings.ts';
import {
  isCompleteAudit,
  judgedRules,
  listNotCompared,
  computeAuditSummary,
} from '../report/audit-summary.ts';
import type { Timing } from '../report/run.ts';
import type { ReportFigures } from '../log/callbacks/reports.ts';

const toIsoOrNull = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

/** The report as text, without the findings, which were printed as they were found. */
export function renderText(
  result: AuditResult,
  findings: Findings,
  { seconds, peakBytes }: Timing,
): string {
  const { events, operations, entries, ledgers, position, outside, shopId } = result;
  const rate = Math.round(events / Math.max(seconds, 0.001));
  const shopSuffix = shopId === undefined ? '' : ` of shop ${shopId}`;
  const lines = [
    `${events} events${shopSuffix} up to position ${position} in ${seconds.toFixed(1)} s (${rate} a second, ${Math.round(peakBytes / 1_048_576)} MB)`,
    `as of ${toIsoOrNull(result.asOfMs) ?? 'the beginning: the log is empty'}`,
    `${operations} operations, of these ${result.openOperations} open; ${entries} entries in ${ledgers} ledgers`,
    ...result.money.map(moneyLine),
    `journal ${result.chain.hash} (${result.chain.events} events)`,
  ];
  if (result.sinceHolds === true) lines.push('the log up to the checkpoint is unchanged');
  if (outside) {
    const rows = Object.values(outside.rows).reduce((sum, count) => sum + count, 0);
    lines.push(
      `${rows} rows of ${Object.keys(outside.rows).length} tables compared, ${outside.different} differ`,
    );
  }
  lines.push(...reportLines(result.reports));
  if (result.inFlight > 0)
    lines.push(`${result.inFlight} entries or webhooks of the newest events are still in flight`);
  lines.push(...result.notes);
  return `${[...lines, ...verdict(result, findings)].join('\n')}\n`;
}

const moneyLine = ({ currency, in: received, out, ...accounts }: MoneyTotals): string =>
  `${currency}: providers received ${received} and paid out ${out}; ${moneyAccounts
    .map((name) => `${name} ${accounts[name]}`)
    .join(', ')}`;

function reportLines(reports: ReportFigures): string[] {
  const { stored, verified, tried, missingSecrets } = reports;
  if (stored === 0) return [];
  if (!tried)
    return [
      `${stored} signed callbacks are stored; none was verified, because SANDBOX_CALLBACK_SECRET and PERSONAL_DATA_KEY were not both given`,
    ];
  const others = [
    [reports.failed, 'failed'],
    [reports.erased, 'are of erased clients'],
    [
      reports.no_secret,
      `were signed with secrets that were not given (${missingSecrets.join(', ')})`,
    ],
    [reports.no_master_key, 'are encrypted with master keys that were not given'],
    [reports.not_read, 'are encrypted with keys that are missing'],
  ] as const;
  const otherCounts = others
    .filter(([count]) => count > 0)
    .map(([count, what]) => `, ${count} ${what}`);
  return [`${verified} of ${stored} stored callbacks are verified${otherCounts.join('')}`];
}

function verdict(result: AuditResult, findings: Findings): string[] {
  const counts = findings.counts();
  const broken = ruleCodes.filter((code) => counts[code] !== undefined);
  const summary = computeAuditSummary(result, findings);
  const notCompared = [
    summaryText(summary, 'en'),
    ...listNotCompared(result).map((why) => `not compared: ${why}`),
  ];
  if (broken.length > 0)
    return [
      ...notCompared,
      `${summary.violated} of ${summary.checked} checked rules are violated:`,
      ...broken.map((code) => `  ${code} (${counts[code]}): ${rules[code].en}`),
    ];
  if (!isCompleteAudit(result)) return [...notCompared, 'The audit is incomplete.'];
  if (result.chain.events === 0) return [...notCompared, 'There was nothing to check.'];
  return [...notCompared, `Every one of ${summary.checked} checked rules holds.`];
}

/** The report as JSON. */
export function renderJson(
  result: AuditResult,
  findings: Findings,
  { seconds, peakBytes }: Timing,
): string {
  const { outside, chain } = result;
  const notCompared = listNotCompared(result);
  const document = {
    ok: findings.total() === 0 && isCompleteAudit(result),
    ...(result.shopId !== undefined && { shop_id: result.shopId }),
    events: result.events,
    operations: result.operations,
    entries: result.entries,
    ledgers: result.ledgers,
    position: String(result.position),
    newest_event_at: toIsoOrNull(result.newestMs),
    as_of: toIsoOrNull(result.asOfMs),
    open_operations: result.openOperations,
    money: result.money,
    summary: computeAuditSummary(result, findings),
    journal: chain,
    ...(result.sinceHolds !== undefined && { since_holds: result.sinceHolds }),
    reports: toReportFigures(result.reports),
    in_flight: result.inFlight,
    ...(outside && {
      read_models: outside.readModels,
      rows: outside.rows,
      rows_different: outside.different,
    }),
    ...((outside || notCompared.length > 0) && { not_compared: notCompared }),
    notes: result.notes,
    rules: judgedRules(result, findings).map(({ rule, checked, violations }) => ({
      rule,
      of: rules[rule].of,
      checked,
      violations,
    })),
    violations: findings.total(),
    violated_rules: findings.counts(),
    findings: findings.listed().map(({ position, shopId, ...finding }) => ({
      ...finding,
      ...(position !== undefined && { position: String(position) }),
      ...(shopId !== undefined && { shop_id: shopId }),
    })),
    seconds: Number(seconds.toFixed(3)),
    peak_memory_bytes: peakBytes,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const toReportFigures = ({ missingSecrets, ...counts }: ReportFigures) => ({
  ...counts,
  missing_secrets: missingSecrets,
});
