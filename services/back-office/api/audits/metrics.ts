import { Gauge } from 'prom-client';
import { auditStream, decodeAuditEvent } from '#shared/domain/audit/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import { readForScrape } from '#shared/platform/metrics/reading.ts';

/** How many of the newest audits are searched for the last complete audit of all shops. */
const mostRead = 50;

type Last = {
  /** Whether the newest failed or is incomplete. */
  failed: boolean;
  /** The newest that checked the whole log: its time and its violations. */
  latestFull: { atS: number; violations: number; seconds: number } | undefined;
  /** Only read if there is no such audit. */
  logBeganAtS: number;
};

/**
 * How the newest audits ended, for alerts, read from the log. Before the first audit its age is
 * that of the log: a restart of this process does not make it younger.
 */
export function registerAuditMetrics(
  registry: Metrics,
  {
    store,
    everyS = 0,
  }: { store: Pick<EventStore, 'read' | 'readLog'>; everyS?: number | undefined },
): void {
  const read = readForScrape(() => readLast(store));
  const gauge = (name: string, help: string, of: (last: Last) => number) =>
    new Gauge({
      name: `gateway_audit_${name}`,
      help,
      registers: [registry],
      async collect() {
        const last = await read();
        this.set(last ? of(last) : Number.NaN);
      },
    });
  gauge(
    'age_seconds',
    'How long ago the newest audit of the whole log was recorded, or without one, the log began',
    ({ latestFull, logBeganAtS }) =>
      Math.max(0, Date.now() / 1_000 - (latestFull?.atS ?? logBeganAtS)),
  );
  gauge('last_failed', '1: the newest audit failed, or is not complete', ({ failed }) =>
    failed ? 1 : 0,
  );
  gauge(
    'violations',
    'What the newest audit of the whole log found',
    ({ latestFull }) => latestFull?.violations ?? 0,
  );
  gauge(
    'duration_seconds',
    'How long the newest audit of the whole log took; 0 without one',
    ({ latestFull }) => latestFull?.seconds ?? 0,
  );
  new Gauge({
    name: 'gateway_audit_expected_age_seconds',
    help: 'The interval of scheduled audits; 0: not configured',
    registers: [registry],
  }).set(everyS);
}

async function readLast(store: Pick<EventStore, 'read' | 'readLog'>): Promise<Last> {
  const stored = await store.read(auditStream, { direction: 'backwards', maxCount: mostRead });
  const runs = stored.map((event) => ({
    ...decodeAuditEvent(event),
    atS: event.created.getTime() / 1_000,
  }));
  const latestFullRun = runs.flatMap((run) => {
    if (run.type !== 'AuditRan' || run.data.audited_shop_id !== undefined) return [];
    const violations = run.data.rules.reduce((sum, rule) => sum + rule.violations, 0);
    return [{ atS: run.atS, violations, seconds: run.data.seconds }];
  });
  const [newest] = runs;
  const [latestFull] = latestFullRun;
  return {
    failed: newest?.type === 'AuditFailed' || newest?.data.outcome === 'incomplete',
    latestFull,
    logBeganAtS: latestFull ? Number.NaN : await readBeginning(store),
  };
}

/** When the first event was appended; now, if there is none. */
async function readBeginning(store: Pick<EventStore, 'readLog'>): Promise<number> {
  const { events } = await store.readLog({ after: 0n, maxCount: 1 });
  return (events[0]?.read().created.getTime() ?? Date.now()) / 1_000;
}
