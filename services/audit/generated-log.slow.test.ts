import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { statementStream } from '#shared/domain/statements/events.ts';
import { auditLog } from './testing/audit-log.ts';
import { generateLog } from './testing/generated-log.ts';
import { isSigned, signEvents } from './testing/signed-log.ts';

/** Appends an empty statement of each provider for every day in the log. */
function appendStatements({ events, append }: ReturnType<typeof generateLog>): number {
  const text = events.map(({ data }) => data.toString('utf8')).join('\n');
  const days = new Set(
    [...text.matchAll(/"completed_at":"(\d{4}-\d\d-\d\d)/g)].map(([, day = '']) => day),
  );
  const totals = { import: 1, source: 'provider', lines: 0, total_in: '0.00', total_out: '0.00' };
  for (const day of days)
    for (const provider of ['sandbox', 'other']) {
      const account = { provider, account: 'default', currency: 'RUB', day };
      const data = { ...account, ...totals, digest: hash('sha256', '\n') };
      append({
        stream: statementStream(account),
        type: 'StatementImported',
        data,
        actor: 'service:processor',
      });
    }
  return days.size;
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'finds nothing in a generated log (seed %i), with little memory or much (R18.3)',
  async (seed) => {
    const log = generateLog({ seed, operations: 150 });
    expect(appendStatements(log)).toBeGreaterThan(0);
    const inMemory = seed % 2 === 0 ? 5 : 1_000;
    // Half of the logs are older than signatures.
    if (seed > 4) signEvents(log.events);
    const { findings, checked } = await auditLog(log.events, { inMemory });
    expect(checked.signatures ?? 0).toBe(seed > 4 ? log.events.filter(isSigned).length : 0);
    // A random operation may be left open, since no processor finishes it.
    expect(findings.filter(({ rule }) => rule !== 'operation.overdue')).toEqual([]);
    expect(log.events.length).toBeGreaterThan(450);
  },
  30_000,
);
