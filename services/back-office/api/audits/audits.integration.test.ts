import { expect, test } from 'vitest';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { auditStream, type AuditEvent } from '#shared/domain/audit/events.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import type { LoggedEvent } from '#shared/platform/event-store/types.ts';
import { newId } from '#shared/platform/ids.ts';
import { tokens } from '../../testing/admin.ts';
import { useConsole } from '../../console/testing/console.ts';
import type { AuditView } from './read.ts';
import { registerAuditMetrics } from './metrics.ts';

const admin = useConsole();

type Page = { audits: AuditView[]; next_cursor: string | null };
const getPage = (path: string, token: string = tokens.auditor) =>
  admin.call<Page>(`GET /admin/v1/audits${path}`, { token });
const [ran, failed] = storedExamples.audit as unknown as [AuditEvent, AuditEvent];
let revision = -1;
async function record(event: AuditEvent, actor: string): Promise<void> {
  const events = toNewEvents([event], { actor, correlationId: newId() });
  const request = { stream: auditStream, expectedRevision: revision, events };
  expect(await admin.store.append(request)).toMatchObject({ outcome: 'appended' });
  revision += 1;
}
async function figures() {
  const metrics = createMetrics('admin');
  registerAuditMetrics(metrics, { store: admin.store, everyS: 86_400 });
  const text = await metrics.metrics();
  const valueOf = (name: string) =>
    Number(new RegExp(`^gateway_audit_${name}{.*} (.*)$`, 'm').exec(text)?.[1]);
  return {
    age: valueOf('age_seconds'),
    failed: valueOf('last_failed'),
    violations: valueOf('violations'),
    every: valueOf('expected_age_seconds'),
    took: valueOf('duration_seconds'),
  };
}

test('exports how old the log is until it is audited, whenever the process started (R16.21)', async () => {
  const began = new Date(Date.now() - 864_000_000);
  const read = () => ({ created: began }) as StoredEvent;
  const metrics = createMetrics('admin');
  const readLog: EventStore['readLog'] = async () => ({
    events: [{ read } as LoggedEvent],
    gap: false,
  });
  registerAuditMetrics(metrics, { store: { read: async () => [], readLog }, everyS: 86_400 });
  const age = await metrics.getSingleMetric('gateway_audit_age_seconds')?.get();
  expect(age?.values[0]?.value).toBeGreaterThanOrEqual(864_000);
});

test('lists recorded audits newest first to every role, and exports their figures (R18.12)', async () => {
  expect((await getPage('')).body).toEqual({ audits: [], next_cursor: null });
  const fresh = await figures();
  expect(fresh).toMatchObject({ failed: 0, violations: 0, every: 86_400, took: 0 });
  expect(fresh.age).toBeLessThan(60);

  const whole = { ...ran, data: { ...ran.data, audited_shop_id: undefined } } as AuditEvent;
  await record(whole, 'service:audit');
  const took = ran.data['seconds' as never];
  expect(await figures()).toMatchObject({ failed: 0, violations: 1, took });
  await record(ran, 'auditor:anna');
  await record(failed, 'service:audit');
  expect(await figures()).toMatchObject({ failed: 1, violations: 1 });

  const { status, body } = await getPage('?limit=2', tokens.operator);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    audits: [
      { audit: 2, outcome: 'failed', started_by: null, ...failed.data },
      { audit: 1, outcome: 'violated', started_by: 'anna', ...ran.data },
    ],
    next_cursor: '1',
  });
  const rest = await getPage(`?limit=2&cursor=${body.next_cursor}`);
  expect(rest.body).toMatchObject({ audits: [{ audit: 0, started_by: null }], next_cursor: null });
  expect((await getPage('?cursor=0')).body).toEqual({ audits: [], next_cursor: null });
});
