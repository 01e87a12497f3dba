import { EventStoreDBClient } from '@eventstore/db-client';
import { audit } from '#services/audit/audit.ts';
import { createFindings } from '#services/audit/report/findings/findings.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { connectRawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { busyLog } from '#services/audit/testing/busy-log.ts';
import { writeLog } from '#services/audit/testing/write-log.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { timed } from '#infra/lab/load/loops.ts';
import { variable } from '#infra/lab/targets/serve.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';

export type AuditorOrder =
  | { order: 'prepare'; events: number }
  | { order: 'read' | 'bytes' | 'audit' };

/** Reads a log to its end in three ways, on request. */
const url = variable('EVENT_STORE_URL');
const store = connectEventStore(url);
const log = connectRawLog(url);
const client = EventStoreDBClient.connectionString(url);
const pageEvents = 1_000;

let writing: Iterator<RawEvent> | undefined;

/** Writes a page of the log on each order, so that none takes long. */
async function prepare(events: number): Promise<{ done: boolean }> {
  writing ??= busyLog(events);
  const page: RawEvent[] = [];
  let done = false;
  while (!done && page.length < pageEvents) {
    const next = writing.next();
    if (next.done === true) done = true;
    else page.push(next.value);
  }
  if (page.length > 0) await writeLog(store, page);
  return { done };
}

async function readWithClient(): Promise<number> {
  let events = 0;
  for await (const { event } of client.readAll()) if (event) events += 1;
  return events;
}

async function readBytes(): Promise<number> {
  let events = 0;
  for await (const batch of log.read(0)) events += batch.length;
  return events;
}

async function auditAll(): Promise<number> {
  const findings = createFindings();
  const { events } = await audit({ log, findings });
  if (findings.total() > 0) throw new Error(`the audit found ${JSON.stringify(findings.counts())}`);
  return events;
}

const passes = { read: readWithClient, bytes: readBytes, audit: auditAll };

serveOrders((order: AuditorOrder) =>
  order.order === 'prepare' ? prepare(order.events) : timed(passes[order.order]),
);
