import type { TestProject } from 'vitest/node';
import {
  setUpBusyGateway,
  type BusyDay,
  type BusyGateway,
} from '#services/back-office/console/testing/busy-gateway.ts';
import { recordAudit } from '#shared/application/audits/record-audit.ts';
import { loadSigningKey } from '#shared/platform/config/signing-key.ts';
import { signAppends } from '#shared/platform/event-store/sign-appends.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import { dayAfter, newestDay } from '#shared/application/statements/days.ts';
import { scheduledActor, type AuditRan } from '#shared/domain/audit/events.ts';
import { ruleCodes } from '#shared/domain/audit/rules.ts';
import { storedExamples } from '#shared/domain/testing/stored-examples.ts';
import { shareWithProcesses, type SharedStack } from './shared-stack.ts';
import { startTestStack, type TestStack } from './test-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The address that returns the stack for browser tests, which is started on the first request.
     */
    browserStackUrl: string;
  }
}

export type BrowserDay = BusyDay & {
  /**
   * The day of an imported statement with findings: older than the days that the processor fetches,
   * so that later days stay without a statement.
   */
  readonly statementDay: string;
};

let stack: TestStack | undefined;
let gateway: BusyGateway | undefined;
let shared: Awaited<ReturnType<typeof shareWithProcesses>> | undefined;

/** One stack for all files of the project; shops and tokens isolate the tests. */
export async function setup(project: TestProject): Promise<void> {
  shared = await shareWithProcesses(start);
  project.provide('browserStackUrl', shared.url);
}

/**
 * A stack with a day's work, created before the first test, so that its receipts are at the head of
 * the review queue.
 */
async function start(): Promise<SharedStack<BrowserDay>> {
  // Two quick tries, so that undeliverable webhooks are given up during a test.
  const env = { WEBHOOK_RETRY_SCHEDULE: '0s,200ms' };
  const started = await startTestStack({ env });
  stack = started;
  try {
    const day = await dayOn(started);
    return { urls: started.urls, adminToken: started.adminToken, day };
  } catch (error) {
    throw new Error(`${(error as Error).message}:\n${started.output()}`, { cause: error });
  }
}

async function dayOn(on: TestStack): Promise<BrowserDay> {
  gateway = await setUpBusyGateway(on);
  await recordAudits(on);
  const { shopId, deafShopId, partial, flagged, key } = gateway;
  return { shopId, deafShopId, partial, flagged, key, statementDay: await importFile(on) };
}

/** Imports a provider's statement. @returns its day */
async function importFile({ urls, adminToken }: TestStack): Promise<string> {
  const day = dayAfter(newestDay(Date.now()), -14);
  const path = `/admin/v1/statements/sandbox/default/RUB/${day}/import`;
  const answer = await fetch(`${urls.admin}${path}?opening_balance=0.00&closing_balance=57.00`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'text/csv' },
    body: [
      'kind,direction,leg_id,amount,currency,completed_at',
      `transfer,in,t-500,100.00,RUB,${day}T09:00:00Z`,
      `fee,out,f-5,3.00,RUB,${day}T11:00:00Z`,
    ].join('\n'),
  });
  if (!answer.ok) throw new Error(`the statement is not imported: ${await answer.text()}`);
  return day;
}

/** Records an audit that found a violation, and a later one that failed. */
async function recordAudits({ env }: TestStack): Promise<void> {
  const ran = storedExamples.audit[2].data as AuditRan;
  const rules = ruleCodes.map((rule) => ({
    rule,
    looked_at: 1_234,
    violations: rule === 'ledger.totals' ? 1 : 0,
  }));
  const { started_at } = ran;
  const failed = { started_at, seconds: 10, reason: 'the event store can not be reached' };
  const store = connectEventStore(env['EVENT_STORE_URL'] ?? '');
  const signed = signAppends(store, loadSigningKey('audit', env));
  try {
    await recordAudit(signed, { type: 'AuditRan', data: { ...ran, rules } }, 'auditor:anna');
    await recordAudit(signed, { type: 'AuditFailed', data: failed }, scheduledActor);
  } finally {
    await store.close();
  }
}

/** Stops what was started. */
export async function teardown(): Promise<void> {
  await shared?.close();
  await gateway?.close();
  await stack?.stop();
}
