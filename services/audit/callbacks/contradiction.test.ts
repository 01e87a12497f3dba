import { afterEach, expect, it } from 'vitest';
import { operationStream, type OperationEvent } from '#shared/domain/operation/events.ts';
import { fold } from '#shared/domain/operation/evolve.ts';
import { applyReport } from '#shared/domain/operation/reports/apply-report.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { accepted, admitted, leg, started } from '#shared/domain/operation/testing/given.ts';
import { personalKeyStream } from '#shared/domain/personal-data/events.ts';
import { createPass } from '../pass/pass.ts';
import { noRows } from '../rows/rows.ts';
import { makeSpillFolder } from '../spill/temp-folder.ts';
import { auditorKeys, clientKeys, keptCallback, keptKey } from '../testing/kept-reports.ts';
import { createLog } from '../testing/log.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const begun = [admitted(), started(), accepted()];
const { operationId } = fold(begun) as Operation;
const back = { ...leg('r', '40.00'), of_leg_id: 'x' };
/** The whole of what came went back. */
const report = {
  attempt: 1,
  status: 'completed',
  legs: [leg('x', '40.00')],
  returns: [back],
} as const;

/** What an audit finds, of what came of a callback, in what its provider signed. */
function findings(events: readonly OperationEvent[], told: object): string[] {
  const spill = makeSpillFolder();
  const found: string[] = [];
  const pass = createPass({
    folder: spill.path,
    report: ({ rule, message }) => found.push(`${rule}: ${message}`),
    rows: noRows,
    reportKeys: auditorKeys,
  });
  ends.push(() => pass.close(), spill.remove);
  const { events: log, append } = createLog();
  const { key: _, ...wrapped } = clientKeys.get(keptKey) ?? {};
  const created = { shop_id: 'shop-1', key_id: keptKey, ...wrapped };
  append({ stream: personalKeyStream(keptKey), type: 'PersonalKeyCreated', data: created });
  const stream = operationStream(operationId);
  for (const event of begun) append({ stream, ...event });
  const kept = keptCallback(operationId, {
    operation_id: operationId,
    acceptance: 'accepted',
    ...told,
  });
  for (const [index, event] of events.entries())
    append({
      stream,
      ...event,
      actor: 'provider:sandbox',
      ...(index === 0 && { report: kept }),
    });
  for (const event of log) pass.take(event);
  return found.filter((each) => each.startsWith('report.'));
}

it('a payment whose money went back as a whole is declined by a report that completes it', () => {
  const { events } = applyReport(fold(begun), report);
  expect(events.map(({ type }) => type)).toEqual([
    'LegReceived',
    'LegReturned',
    'OperationDeclined',
  ]);
  expect(findings(events, report)).toEqual([]);
});

it('one without money that went back is not', () => {
  const empty = { ...report, status: 'declined', legs: [], returns: [] } as const;
  const { events } = applyReport(fold(begun), empty);
  expect(findings(events, { ...empty, status: 'completed' })).toEqual([
    'report.signature: the provider signed accepted and completed',
  ]);
});
