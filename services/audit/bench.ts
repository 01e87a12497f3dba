import { startEmbeddedStores } from '#infra/testing/embedded-stores.ts';
import { connectEventStore } from '#shared/event-store/index.ts';
import { audit } from './audit.ts';
import { createFindings } from './findings/findings.ts';
import { connectRawLog } from './log/read-log.ts';
import { busyLog } from './testing/busy-log.ts';
import { writeLog } from './testing/write-log.ts';
import type { LogEvent } from './log/log-event.ts';

/**
 * Audited events a second beside bare reads of the same log, in turn: `node services/audit/bench.ts [events] [rounds]`. Starts
 * an event store of its own; the log is written first, by this process.
 */
const total = Number(process.argv[2] ?? 50_000);
const rounds = Number(process.argv[3] ?? 3);

const stores = await startEmbeddedStores(['event-store']);
const url = stores.urls['event-store'] ?? '';
const store = connectEventStore(url);
const log = connectRawLog(url);
try {
  let page: LogEvent[] = [];
  for (const event of busyLog(total)) {
    page.push(event);
    if (page.length < 5_000) continue;
    await writeLog(store, page);
    page = [];
  }
  await writeLog(store, page);
  for (let round = 1; round <= rounds; round += 1) {
    const read = await timed(readWithClient);
    const raw = await timed(readRaw);
    const audited = await timed(auditAll);
    const line = (name: string, { events, seconds, cpuMicros }: Timed) =>
      `${name} ${Math.round(events / seconds)}/s (CPU ${cpuMicros.toFixed(1)} µs)`;
    const ratio = (other: Timed) =>
      (audited.events / audited.seconds / (other.events / other.seconds)).toFixed(2);
    process.stdout.write(
      `round ${round}: ${line('client', read)}, ${line('bytes', raw)}, ${line('audit', audited)}: ` +
        `${ratio(read)} of the client's read, ${ratio(raw)} of the bytes'; ` +
        `peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n`,
    );
  }
} finally {
  await log.close();
  await store.close();
  await stores.stop();
}

type Timed = { events: number; seconds: number; cpuMicros: number };

async function timed(work: () => Promise<number>): Promise<Timed> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const events = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { events, seconds: (performance.now() - startedAt) / 1000, cpuMicros: (user + system) / events };
}

async function readWithClient(): Promise<number> {
  let events = 0;
  for await (const batch of store.subscribe({ maxBatch: 1_000, signal: AbortSignal.timeout(300_000) })) {
    for (const { kind } of batch) {
      if (kind === 'caught_up') return events;
      if (kind === 'event') events += 1;
    }
  }
  return events;
}

async function readRaw(): Promise<number> {
  let events = 0;
  for await (const batch of log.read(0)) events += batch.length;
  return events;
}

async function auditAll(): Promise<number> {
  const findings = createFindings((finding) => process.stdout.write(`${JSON.stringify(finding)}\n`));
  const { events } = await audit({ log, findings });
  return events;
}
