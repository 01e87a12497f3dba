import type { AuditResult } from '../audit.ts';
import type { Findings } from '../findings/findings.ts';
import { ruleCodes, rules } from '../findings/rules.ts';

export type Timing = { seconds: number; peakBytes: number };

/** The report as people read it; the findings themselves were told as they were found. */
export function renderText(result: AuditResult, findings: Findings, { seconds, peakBytes }: Timing): string {
  const { events, operations, entries, ledgers, position, outside } = result;
  const rate = Math.round(events / Math.max(seconds, 0.001));
  const lines = [
    `${events} events up to position ${position} in ${seconds.toFixed(1)} s (${rate} a second, ${Math.round(peakBytes / 1_048_576)} MB)`,
    `${operations} operations; ${entries} entries in ${ledgers} ledgers`,
    `journal ${result.chain.hash} (${result.chain.events} events)`,
  ];
  if (result.sinceHolds === true) lines.push('nothing up to the checkpoint was rewritten');
  if (outside) {
    const rows = Object.values(outside.rows).reduce((sum, count) => sum + count, 0);
    lines.push(
      `${rows} rows of ${Object.keys(outside.rows).length} tables compared, ${outside.different} differ`,
    );
  }
  if (result.inFlight > 0)
    lines.push(`${result.inFlight} consequences of the last moments are still on their way`);
  lines.push(...result.notes);
  const counts = findings.counts();
  const broken = ruleCodes.filter((code) => counts[code] !== undefined);
  if (broken.length === 0) return `${lines.join('\n')}\nEvery one of ${ruleCodes.length} rules holds.\n`;
  lines.push(`${broken.length} of ${ruleCodes.length} rules are violated:`);
  for (const code of broken) lines.push(`  ${code} (${counts[code]}): ${rules[code]}`);
  return `${lines.join('\n')}\n`;
}

/** The same for machines. */
export function renderJson(result: AuditResult, findings: Findings, { seconds, peakBytes }: Timing): string {
  const { outside, chain } = result;
  const document = {
    ok: findings.total() === 0,
    events: result.events,
    operations: result.operations,
    entries: result.entries,
    ledgers: result.ledgers,
    position: String(result.position),
    newest_event_at: result.events === 0 ? null : new Date(result.newestMs).toISOString(),
    journal: chain,
    ...(result.sinceHolds !== undefined && { since_holds: result.sinceHolds }),
    in_flight: result.inFlight,
    ...(outside && {
      read_models: outside.readModels,
      rows: outside.rows,
      rows_different: outside.different,
    }),
    notes: result.notes,
    violations: findings.total(),
    violated_rules: findings.counts(),
    findings: findings.kept().map(({ position, shopId, ...finding }) => ({
      ...finding,
      ...(position !== undefined && { position: String(position) }),
      ...(shopId !== undefined && { shop_id: shopId }),
    })),
    seconds: Number(seconds.toFixed(3)),
    peak_memory_bytes: peakBytes,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
