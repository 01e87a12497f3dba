import { expect, it } from 'vitest';
import { createdMs, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { auditLog } from '../../testing/audit-log.ts';
import {
  after,
  all,
  by,
  change,
  changeRoute,
  conversion,
  type Corruption,
  drop,
  hasRoute,
  inOperation,
  lateEvent,
  lateReport,
  sandbox,
  storedLeg,
  withReport,
} from '../../testing/corruptions/changes.ts';
import { writeLog } from '../../testing/corruptions/index.ts';
import { appendLate } from '../../testing/corruptions/signatures.ts';
import { endpointConfigured, statedInTime } from '../../testing/corruptions/stated.ts';
import { auditorKeys, storedCallback } from '../../testing/stored-reports.ts';
import { payment, reviewed, shopId } from '../../testing/valid-log.ts';

const audited = (corruption: Corruption) =>
  auditLog(writeLog(corruption), { reportKeys: auditorKeys });

it('accepts the times and secrets that the gateway states (R18.18)', async () => {
  expect((await audited(statedInTime)).findings).toEqual([]);
});

it('accepts an endpoint that has failed for an hour (R18.18)', async () => {
  const log = writeLog(after('token', endpointConfigured(shopId)));
  const stream = `shop-${shopId}`;
  const since = new Date(createdMs(log.at(-1) as RawEvent)).toISOString();
  const revision = log.filter((event) => event.stream === stream).length;
  const data = Buffer.from(JSON.stringify({ endpoint_id: shopId, since }));
  appendLate(log, { stream, type: 'WebhookFailing', revision, data }, 3_600_000);
  expect((await auditLog(log, { reportKeys: auditorKeys })).findings).toEqual([]);
});

const note = (notes: readonly string[], text: string) => notes.find((each) => each.includes(text));

it('notes who got access to streams, and not the limit of the uses of a key (R18.18)', async () => {
  const metadata = (stream: string, data: object) => ({ stream, type: '$metadata', data });
  const { findings, notes } = await audited(
    after(
      'token',
      metadata('$settings', { $userStreamAcl: { $w: 'all' } }),
      metadata('$$operators', { $acl: { $w: 'mallory' } }),
      metadata('$$$all', { $acl: { $r: 'mallory' } }),
      metadata('$$api-key-use-k', { $maxCount: 1 }),
      metadata('$$$stats-1', { $maxAge: 60 }),
    ),
  );
  expect(findings).toEqual([]);
  expect(note(notes, 'access to the store')).toMatch(
    /^somebody .* streams: \$settings at \S+ \(position \d+\), operators at \S+ \(position \d+\), \$all at \S+ \(position \d+\)$/,
  );
  expect(note((await audited(() => undefined)).notes, 'access to the store')).toBeUndefined();
});

it('notes the money of a rate that no callback names (R18.10)', async () => {
  const converted = (signed: object) =>
    all(
      hasRoute({ conversion }),
      changeRoute('payment-started', { conversion }),
      change('payment-accepted', { fx_rate: '0.012500' }),
      change('payment-completed', {
        recorded_amount: '1.25',
        settlement_amount: '1.22',
        commission_amount: '0.03',
      }),
      drop('credit', 'suspense', 'resolution', 'late', 'evidence'),
      by('payment-completed', sandbox),
      withReport(
        'payment-completed',
        storedCallback(payment, {
          ...lateReport('0.00'),
          acceptance: 'accepted',
          ...signed,
        }),
      ),
    );
  const notesOf = async (signed: object) => {
    const { findings, notes } = await audited(converted(signed));
    expect(findings.filter(({ rule }) => /^(report|operation)\./.test(rule))).toEqual([]);
    return note(notes, 'rates of conversions');
  };
  expect(await notesOf({})).toContain(`1 rates of conversions (1.25 USD): ${payment} (1.25 USD)`);
  expect(await notesOf({ fx_rate: '0.0125' })).toBeUndefined();
});

const skipped = (reason: string) =>
  after(
    'payment-admitted',
    inOperation(payment, 'RoutesSkipped', {
      routes: [{ provider: 'sandbox', priority: 1, reason }],
    }),
  );

it('notes a provider that is skipped as failing, and is not recorded to fail (R18.18)', async () => {
  const failing = skipped('provider_failing');
  const noteOf = async (corruption: Corruption) =>
    note((await audited(corruption)).notes, 'is recorded to fail');
  expect(await noteOf(failing)).toBeUndefined();
  expect(await noteOf(all(failing, drop('breaker')))).toBe(
    `1 routes were skipped because their provider fails, although none is recorded to fail: ${payment}`,
  );
});

it('notes a route that is skipped as full, and had taken less that day (R18.18)', async () => {
  const noteOf = async (limit: { daily_count: number }) =>
    note((await audited(all(hasRoute(limit), skipped('route_full')))).notes, 'as full');
  expect(await noteOf({ daily_count: 1 })).toBeUndefined();
  expect(await noteOf({ daily_count: 500 })).toBe(
    `1 routes were skipped as full, although less began on them that day: ${payment}`,
  );
});

it('notes a declined payment that got far more than expected afterwards (R12.18)', async () => {
  const noteOf = async (amount: string) => {
    const { notes } = await audited(
      after('reviewed-withdrawn', {
        ...lateEvent('LateMoneyReceived', {
          operation_id: reviewed,
          currency: 'RUB',
          leg: storedLeg('l9', amount),
        }),
        stream: `late-${reviewed}`,
      }),
    );
    return note(notes, 'after their end');
  };
  expect(await noteOf('200.00')).toBeUndefined();
  expect(await noteOf('200.01')).toBe(
    `payments with much more money than expected, with what came after their end: ${reviewed} (200.01 of 100.00 RUB)`,
  );
});
