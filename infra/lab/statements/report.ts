import { count, figure } from '#infra/lab/report/figures.ts';
import { textTable } from '#infra/verify/harness/tables.ts';
import { findings } from '#shared/domain/statements/findings.ts';
import type { DayResult } from './run.ts';

const shown = 20;

/** Whether all that was planted was found, nothing else, and the audit has nothing to say. */
export const isAsPlanned = ({ compared, wrong, auditFailed }: DayResult): boolean =>
  compared.missed.length === 0 &&
  compared.surplus.length === 0 &&
  wrong.length === 0 &&
  auditFailed === undefined;

/** What a person reads of a run. */
export function renderDay(result: DayResult): string {
  const { operations, events, moved, acrossMidnight, compared, audit, planted } = result;
  const parts = [
    `${count(operations)} operations in ${count(events)} events; ${count(moved)} movements of money, ${count(acrossMidnight)} told a day early or late`,
    textTable([
      ['statement', 'lines', 'confirmed', 'findings', 'found in, s', 'the day in, s'],
      ...statements(result),
    ]),
    textTable([['finding', 'planted', 'how'], ...byKind(planted)]),
    textTable([
      ['part', 'seconds'],
      ...Object.entries(result.measured.seconds).map(([name, s]) => [name, s.toFixed(1)]),
    ]),
    textTable([
      ['process', 'at most, MB'],
      ...Object.entries(result.measured.peakBytes).map(([name, bytes]) => [
        name,
        figure(bytes / 2 ** 20),
      ]),
    ]),
    ...told('missed', compared.missed),
    ...told('found, and not planted', compared.surplus),
    ...told('wrong', result.wrong),
    result.auditFailed === undefined
      ? `the audit found nothing in ${count(audit?.events ?? 0)} events: ${audit?.notes.join('; ') ?? ''}`
      : `the audit: ${result.auditFailed}`,
    `${count(compared.planted)} planted, ${count(compared.found)} found: ${isAsPlanned(result) ? 'each of them, and nothing else' : 'NOT as planned'}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

const statements = ({ matched }: DayResult): string[][] =>
  matched.map(({ of, lines, confirmed, found, findingsMs, dayMs }) => [
    `${of.provider} ${of.account} ${of.currency} ${of.day}`,
    count(lines),
    count(confirmed),
    count(found.length),
    (findingsMs / 1_000).toFixed(2),
    (dayMs / 1_000).toFixed(2),
  ]);

function byKind(planted: DayResult['planted']): string[][] {
  return findings.map((kind) => {
    const some = planted.filter(({ finding }) => finding === kind);
    const ways = Map.groupBy(some, ({ how }) => how);
    const how = [...ways].map(([way, each]) => `${way} ${count(each.length)}`);
    return [kind, count(some.length), how.join(', ')];
  });
}

const told = (what: string, keys: readonly string[]): string[] =>
  keys.length === 0 ? [] : [`${what}: ${keys.length}\n${keys.slice(0, shown).join('\n')}`];
