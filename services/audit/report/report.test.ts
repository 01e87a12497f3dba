import { expect, it } from 'vitest';
import type { AuditEvent } from '#shared/domain/audit/events.ts';
import { summarizeRules, summaryText } from '#shared/domain/audit/summary.ts';
import { ruleCodes } from '#shared/domain/audit/rules.ts';
import { ranEvent } from '../cli/record.ts';
import { renderJson, renderText } from '../cli/render.ts';
import type { AuditResult } from '../audit.ts';
import type { AuditFinding } from './findings/findings.ts';
import { judged, computeAuditOutcome } from './audit-summary.ts';
import { auditFindingsCsv } from './csv.ts';
import { failureHtml, reportHtml } from './html.ts';
import { emptyAuditResult, runOf } from '../testing/report-run.ts';

const evil = '<script>alert(1)</script>';
const finding: AuditFinding = {
  rule: 'ledger.totals',
  stream: `ledger-${evil}`,
  revision: 3,
  position: 70,
  message: `=HYPERLINK("http://x") ${evil}`,
};

const partialResult: Partial<AuditResult> = {
  events: 9,
  position: 900,
  asOfMs: Date.parse('2026-01-31T03:15:01.000Z'),
  chain: { events: 9, hash: 'f'.repeat(64) },
  checked: { events: 9, entries: 4 },
};
const by = { at: '2026-01-30T00:00:00.000Z', actor: 'service:processor' };
const event = { id: 'e-7', type: 'EntryPosted', ...by };

it.each(['en', 'ru'] as const)(
  'renders one file without scripts that lists every rule, in %s',
  (language) => {
    const page = reportHtml(runOf(partialResult), [], language);
    expect(page).toContain(`<html lang="${language}">`);
    expect(page).not.toMatch(/<script|src=|href=|url\(|@import/);
    for (const code of ruleCodes) expect(page).toContain(`<code>${code}</code>`);
    expect(page).toContain('2026-01-31T03:15:01.000Z');
    expect(page).toContain('127.0.0.1:2113');
    expect(page).toContain('class="verdict holds"');
  },
);

it('lists rules with nothing to check (R18.11)', () => {
  const page = reportHtml(runOf(partialResult), [], 'en');
  const rows = page.split('<tr>');
  const row = (code: string) => rows.find((each) => each.includes(`<code>${code}</code>`)) ?? '';
  expect(row('ledger.totals')).toMatch(/>4<.*holds/s);
  expect(row('late.twice')).toMatch(/>0<.*not applicable/s);
  expect(row('webhook.missing')).toMatch(/>0<.*not applicable: not asked for/s);
  expect(page.slice(page.indexOf('What was not checked'))).toContain('late.twice');
});

it('shows the same figures as the terminal and the record (R18.16)', () => {
  const money = { currency: 'RUB', in: '100.00', out: '0.00', balance: '95.00', reserved: '0.00' };
  const accounts = { commission: '5.00', provider: '-100.00', suspense: '0.00', external: '0.00' };
  const run = runOf(
    {
      ...partialResult,
      openOperations: 3,
      money: [{ ...money, ...accounts }],
      reports: { ...emptyAuditResult.reports, stored: 9, verified: 8, failed: 1, tried: true },
    },
    [finding],
  );
  const page = reportHtml(run, [{ ...finding, event }], 'en');
  const terminal = renderText(run.result, run.findings, run.timing);
  const { data } = ranEvent(run) as Extract<AuditEvent, { type: 'AuditRan' }>;
  const summary = summarizeRules(
    data.rules.map(({ looked_at: checked, violations }) => ({ checked, violations })),
  );
  expect(summary.findings).toBe(1);
  for (const text of [page, terminal]) expect(text).toContain(summaryText(summary, 'en'));
  expect(JSON.parse(renderJson(run.result, run.findings, run.timing))).toMatchObject({
    summary,
    open_operations: 3,
    money: data.money,
    reports: data.callbacks,
  });
  expect(data).toMatchObject({ open_operations: 3, callbacks: { stored: 9, verified: 8 } });
  expect(page).toMatch(/Open operations<\/th>\s*<td>3</);
  expect(page).toContain('8 of 9 verified, failed 1');
  expect(terminal).toContain('8 of 9 stored callbacks are verified, 1 failed');
  expect(page).toMatch(/RUB<\/th>\s*<td class="number">100\.00</);
  expect(terminal).toContain('RUB: providers received 100.00 and paid out 0.00; balance 95.00');
});

it('does not confirm an empty log or an incomplete comparison (R18.11)', () => {
  expect(reportHtml(runOf({}), [], 'en')).toContain('the audit does not confirm the ledgers');
  const notCompared = ['the read model x was away'];
  const outside = { readModels: {}, rows: {}, different: 0, notCompared };
  const page = reportHtml(runOf({ ...partialResult, outside }), [], 'en');
  expect(page).toContain('class="verdict incomplete"');
  expect(page).toContain('the read model x was away');
});

it('is incomplete if no signature of an event could be verified (R18.17)', () => {
  const run = runOf({ ...partialResult, unverifiedSignatures: 3 });
  expect(computeAuditOutcome(run.result, run.findings)).toBe('incomplete');
  expect(judged(run.result)).not.toContain('log.signature');
  expect(judged(emptyAuditResult)).toContain('log.signature');
});

it('names the events of its findings, and escapes their content (R18.11)', () => {
  const run = runOf(partialResult, [finding]);
  const page = reportHtml(run, [{ ...finding, event }], 'ru');
  expect(page).toContain('class="verdict violated"');
  expect(page).not.toContain(evil);
  expect(page).toContain('ledger-&lt;script&gt;');
  expect(page).toContain('service:processor');
  expect(failureHtml({ startedAt: run.startedAt, reason: evil }, 'en')).not.toContain(evil);
});

it('states how many findings it does not list', () => {
  const findings = Array.from({ length: 201 }, () => finding);
  const run = runOf(partialResult, findings);
  expect(reportHtml(run, run.findings.listed(), 'en')).toContain('Not listed here: 1.');
});

it('shows the history of checkpoints, including an invalid one', () => {
  const valid = {
    file: 'checkpoint-1.json',
    position: '5',
    events: 2,
    hash: 'a'.repeat(64),
    createdAt: '2026-01-30T00:00:00.000Z',
    signedWith: 'SHA256:x',
  };
  const invalid = {
    ...valid,
    file: 'checkpoint-2.json',
    problem: 'its signature does not match its content',
  };
  const checkpoints = { since: { ...valid, holds: true }, history: [valid, invalid], older: 3 };
  const page = reportHtml({ ...runOf(partialResult), checkpoints }, [], 'en');
  expect(page).toContain('byte by byte');
  expect(page).toContain('its signature does not match its content');
  expect(page).toContain('3 older ones are not listed');
});

it('writes findings as CSV without formulas (R18.11)', () => {
  const [names, line, end] = auditFindingsCsv([{ ...finding, event }], 'en').split('\r\n');
  expect(names).toBe(
    '\uFEFFrule,meaning,shop_id,stream,revision,position,event_id,event_type,event_at,actor,message',
  );
  expect(line).toMatch(
    /^ledger\.totals,.*,e-7,EntryPosted,2026-01-30T00:00:00\.000Z,service:processor,/,
  );
  expect(line).toContain(`"'=HYPERLINK(""http://x"")`);
  expect(end).toBe('');
});
