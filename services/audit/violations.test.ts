import { expect, it } from 'vitest';
import { auditLog } from './testing/audit-log.ts';
import {
  all,
  eventOf,
  expiredAtOnce,
  followedBy,
  noMoney,
  storedLeg,
} from './testing/corruptions/changes.ts';
import { corruptions, logRules, writeLog } from './testing/corruptions/index.ts';
import { auditorKeys } from './testing/stored-reports.ts';

/** The rules of docs/rules.md that the audit's rules show, each by the first that fits. */
const shown: readonly (readonly [RegExp, string])[] = [
  [/^ledger\.unbalanced$/, 'R12.1'],
  [/^authority\.(?:member|second_member)$/, 'R21.8'],
  [/^(?:authority\.decision|operation\.(?:decided|expired_early)|late\.open)$/, 'R18.14'],
  [/^authority\./, 'R18.8'],
  [
    /^(?:log\.stated_time|log\.figures|setup\.(?:secrets|settings)|personal\.client_key)$/,
    'R18.18',
  ],
  [/^report\./, 'R18.10'],
  [/^(?:routing\.|operation\.decline_cause)/, 'R18.15'],
  [/^statement\.books$/, 'R22.16'],
  [/^statement\./, 'R22.13'],
  [/^tree\./, 'R25.3'],
  [/./, 'R18.2'],
];

/** One corruption of each rule. The others are in violations.slow.test.ts. */
const first = logRules.map((code) => {
  const { what, corruption } = corruptions.find(({ rule }) => rule === code) ?? {};
  return { code, what, corruption, number: shown.find(([pattern]) => pattern.test(code))?.[1] };
});

it('finds nothing in a valid log', async () => {
  const { findings, inFlight, reports } = await auditLog(writeLog(), { reportKeys: auditorKeys });
  expect(findings).toEqual([]);
  expect(inFlight).toBe(0);
  expect(reports).toMatchObject({ stored: 2, verified: 1, erased: 1, tried: true });
});

it('takes an early expiry without a number after a recorded one (R13.20)', async () => {
  const leg = storedLeg('leg-9', '60.00');
  const received = { type: 'LegReceived', data: { attempt: 1, leg, report_version: 9 } };
  const early = all(
    expiredAtOnce('2031-01-31T12:30:00.000Z'),
    (events) => Object.assign(eventOf(events, 'reviewed-accepted+0'), received),
    followedBy('reviewed-accepted+0', 'OperationExpired', noMoney),
  );
  const { findings } = await auditLog(writeLog(early), { reportKeys: auditorKeys });
  expect(findings.map(({ rule }) => rule)).not.toContain('operation.expired_early');
});

it.each(first)('reports $code: $what ($number)', async ({ code, corruption }) => {
  expect(corruption).toBeDefined();
  const { findings } = await auditLog(writeLog(corruption), { reportKeys: auditorKeys });
  expect(findings.map(({ rule }) => rule)).toContain(code);
});
