import { beforeEach, expect, it, vi } from 'vitest';
import { storedEvents } from '#projections/testing/stored-events.ts';
import type { OperationEvent } from '#shared/domain/operation/events.ts';
import { accepted, admitted, leg, started } from '#shared/domain/operation/testing/given.ts';
import { sampleHistories } from '#shared/domain/operation/testing/histories.ts';
import { newEntity } from '../../log/entities/entity.ts';
import { admittedFacts, applyEvent } from '../../log/operation/fold.ts';
import type { EventEnvelope } from '../../report/findings/report-violation.ts';
import { applyToRows } from './operation-rows.ts';
import { createStatementRows } from './statement-rows.ts';
import { auditedTables, type TableName } from './tables.ts';

/** What is wrong with the projections: they leave rows out, or make rows without cause. */
const planted = vi.hoisted(() => ({ fault: 'none' as 'none' | 'lost' | 'made' }));

const withFault = vi.hoisted(
  () =>
    <Row extends object>(rows: readonly Row[], made: object): Row[] => {
      if (planted.fault === 'lost') return [];
      const [first] = rows;
      return planted.fault === 'made' && first ? [...rows, { ...first, ...made }] : [...rows];
    },
);

vi.mock(import('#projections/operations/legs.ts'), async (original) => {
  const right = await original();
  return {
    ...right,
    projectLegs: (changes) => withFault(right.projectLegs(changes), { leg_id: 'made' }),
    projectReturns: (changes) => withFault(right.projectReturns(changes), { leg_id: 'made' }),
  };
});
vi.mock(import('#projections/operations/decisions.ts'), async (original) => {
  const right = await original();
  return {
    ...right,
    projectDecisions: (changes) => withFault(right.projectDecisions(changes), { revision: 999 }),
  };
});
vi.mock(import('#projections/operations/status-history.ts'), async (original) => {
  const right = await original();
  return {
    ...right,
    projectStatuses: (changes) => {
      const { entered, left } = right.projectStatuses(changes);
      return { entered: withFault(entered, { number: 999 }), left: withFault(left, {}) };
    },
  };
});
vi.mock(import('#projections/operations/uploaded-receipts.ts'), async (original) => {
  const right = await original();
  return {
    ...right,
    afterEvent: (...given) => withFault(right.afterEvent(...given), { receipt_id: 'made' }),
  };
});
vi.mock(import('#projections/statements/project.ts'), async (original) => {
  const right = await original();
  return {
    ...right,
    projectStatement: (stored) => {
      const rows = right.projectStatement(stored);
      if (planted.fault === 'lost') return {};
      return rows.lines ? { lines: withFault(rows.lines, { line: 999 }) } : rows;
    },
  };
});

beforeEach(() => {
  planted.fault = 'none';
});

/** Collects the audit's own values of the rows that are put, by table and key. */
function createCollector() {
  const rows = new Map<string, unknown>();
  const put = (table: TableName, projected: object, { own = {} }: { own?: object }) => {
    const values = { ...projected, ...own } as Record<string, unknown>;
    const key = auditedTables[table].key.map((name) => values[name]);
    // A receipt's id is the projection's.
    if (table !== 'receipts') rows.set([table, ...key].join(' '), own);
  };
  return { rows, put };
}

const toEnvelopes = (stream: string, events: readonly { type: string; data: unknown }[]) =>
  storedEvents(stream, events).map(
    (stored) =>
      ({
        ...stored,
        event: { position: Number(stored.position), revision: stored.revision },
        atMs: stored.created.getTime(),
      }) as EventEnvelope,
  );

const back = { ...leg('back', '10.00'), of_leg_id: 'leg-1' };
const withReturn: OperationEvent[] = [
  admitted({ operationId: 'returned' }),
  started(),
  accepted(),
  { type: 'LegReceived', data: { attempt: 1, leg: leg('leg-1', '40.00') } },
  {
    type: 'LegReturned',
    data: { attempt: 1, returned: back, counted: '10.00', leg: leg('leg-1', '30.00') },
  },
];
/** Few histories have a decision: of the others, a sample is enough. */
const histories = sampleHistories(2_000, 7)
  .map(({ events }) => events)
  .filter((events, at) => at % 20 === 0 || events.some(({ type }) => type === 'ReviewDecided'));

function rowsOfOperations(): Map<string, unknown> {
  const { rows, put } = createCollector();
  for (const events of [withReturn, ...histories]) {
    const [first] = events;
    if (first?.type !== 'OperationAdmitted') continue;
    const id = first.data.operation_id;
    const entity = newEntity(id);
    for (const [at, envelope] of toEnvelopes(`operation-${id}`, events).entries()) {
      const event = events[at] as OperationEvent;
      const { atMs } = envelope;
      const where = { revision: at, position: envelope.event.position, atMs, eventId: envelope.id };
      if (event.type === 'OperationAdmitted')
        entity.operation = admittedFacts(event.data, atMs, false);
      else if (entity.operation) applyEvent(entity.operation, event, where);
      applyToRows(put, entity, { event, envelope });
    }
  }
  return rows;
}

const statement = { provider: 'p', account: 'default', currency: 'RUB', day: '2026-01-31' };
const line = {
  line: 1,
  kind: 'transfer',
  direction: 'in',
  leg_id: 'a',
  amount: '7.00',
  completed_at: '2026-01-31T12:00:00.000Z',
};
const statementEvents = [
  {
    type: 'StatementLinesRead',
    data: { ...statement, import: 1, lines: [line, { ...line, line: 2, direction: 'out' }] },
  },
  {
    type: 'StatementImported',
    data: {
      ...statement,
      import: 1,
      source: 'file',
      lines: 2,
      total_in: '7.00',
      total_out: '7.00',
      digest: 'd',
    },
  },
];

function rowsOfStatement(): Map<string, unknown> {
  const { rows, put } = createCollector();
  const take = createStatementRows(put);
  for (const each of toEnvelopes('statement-p.default.RUB.2026-01-31', statementEvents))
    take({ ...each, event: { ...each.event, stream: each.stream } });
  return rows;
}

it.each([
  [
    'operations',
    rowsOfOperations,
    'legs returned_legs operation_decisions status_history uploaded_receipts',
  ],
  ['statements', rowsOfStatement, 'statements statement_lines'],
] as const)(
  'puts the rows of %s that its own facts have, where a projection leaves out or adds some (R18.5)',
  (_, putAll, tables) => {
    const right = putAll();
    const names = new Set([...right.keys()].map((key) => key.split(' ')[0]));
    expect([...names]).toEqual(expect.arrayContaining(tables.split(' ')));
    planted.fault = 'lost';
    expect(putAll()).toEqual(right);
    planted.fault = 'made';
    expect(putAll()).toEqual(right);
  },
);
