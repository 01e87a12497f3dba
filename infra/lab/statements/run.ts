import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { startEmbeddedStores } from '#infra/verify/harness/embedded-stores.ts';
import { createRandom } from '#infra/verify/harness/random.ts';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { createServers, type Servers } from '#infra/lab/targets/servers.ts';
import {
  auditReportOf,
  runAuditProcess,
  type AuditReport,
} from '#services/audit/testing/run-audit.ts';
import { importStatement } from '#shared/application/statements/import.ts';
import { connectDatabase } from '#shared/platform/database/connect.ts';
import { connectEventStore, type EventStore } from '#shared/platform/event-store/index.ts';
import { auditorDiffers } from './checks/auditor.ts';
import { compare, differenceOf, keyOfPlanted, type Compared } from './checks/compare.ts';
import { matchStatement, type Matched } from './checks/match.ts';
import { projected } from './checks/projected.ts';
import { dayMs } from './log/lives.ts';
import { startStore, startStoreBefore } from './log/store.ts';
import { writeDay, type WrittenDay } from './log/write-day.ts';
import { createMeasure, type Measure, type Measured } from './measure.ts';
import { planStatements } from './plan/plan-statements.ts';
import { dayOf, type Plan, type Planted } from './plan/planned.ts';
import { fillMemory, startProviders } from './provider/simulators.ts';
import { createStatements } from './provider/statements.ts';

type DayOptions = {
  operations: number;
  seed: number;
  /** How much of what moved is told otherwise. */
  share: number;
  say(line: string): void;
};

export type DayResult = {
  operations: number;
  events: number;
  moved: number;
  acrossMidnight: number;
  planted: readonly Planted[];
  matched: readonly Matched[];
  compared: Compared;
  /**
   * Statements that came in otherwise than their provider was to say, and lines that are not
   * counted right.
   */
  wrong: string[];
  audit: AuditReport | undefined;
  /** What the audit said, where it is not content. */
  auditFailed?: string;
  measured: Measured;
};

/** The day is so long ago: the day after the next is over too. */
const daysAgo = 4;
/** At noon the store begins to write it. */
const noonMs = dayMs / 2;
const auditWithinMs = 1_800_000;
/** It is to be measured, however long it takes. */
const statementTimeoutMs = 600_000;

/**
 * A day of operations, what providers say of it, and what the gateway finds. Nothing is left of it.
 */
export async function runDay(options: DayOptions): Promise<DayResult> {
  const folder = makeTempFolder();
  const servers = createServers();
  const stores = await startEmbeddedStores(['postgres']);
  const measure = createMeasure(options.say);
  const startMs = Date.parse(dayOf(Date.now() - daysAgo * dayMs));
  const day = { ...options, folder, startMs, measure, servers, random: createRandom(options.seed) };
  const closing: (() => Promise<unknown>)[] = [
    stores.stop,
    servers.stop,
    async () => removeFolder(folder),
  ];
  try {
    measure.watch('PostgreSQL', stores.processes.postgres?.pid ?? 0);
    const written = await writeOn(day);
    const told = tell(day, written);
    const node = await startStore(join(folder, 'log'));
    closing.unshift(() => node.stop('SIGTERM'));
    measure.watch('event store', node.pid);
    const store = connectEventStore(node.url);
    closing.unshift(() => store.close());
    const databaseUrl = stores.urls.postgres ?? '';
    const db = connectDatabase<unknown>(databaseUrl, {
      applicationName: 'statements',
      maxConnections: 4,
      statementTimeoutMs,
    });
    closing.unshift(() => db.destroy());
    const urls = { eventStore: node.url, database: databaseUrl };
    const found = await reconcile({ ...day, ...told, store, db, urls });
    const audited = await auditAll(day, urls);
    const { operations, events, moved } = written;
    const { planted, acrossMidnight } = told.plan;
    const counts = { operations, events, moved: moved.length, acrossMidnight, planted };
    const differs = auditorDiffers(audited.audit, found.matched) ?? [];
    const wrong = found.wrong.concat(differs);
    return { ...counts, ...found, wrong, ...audited, measured: measure.end() };
  } finally {
    measure.end();
    for (const close of closing) await close().catch(() => undefined);
  }
}

type Day = Pick<DayOptions, 'operations' | 'share'> & {
  folder: string;
  startMs: number;
  measure: Measure;
  servers: Servers;
  random: ReturnType<typeof createRandom>;
};

/** The log is written in a store whose clock shows that day. */
async function writeOn({ folder, startMs, operations, random, measure }: Day): Promise<WrittenDay> {
  const node = await startStoreBefore(join(folder, 'log'), Date.now() - (startMs + noonMs));
  measure.watch('event store', node.pid);
  const store = connectEventStore(node.url);
  try {
    return await measure.timed('write the log', () =>
      writeDay(store, { random, startMs, operations }),
    );
  } finally {
    await store.close();
    await node.stop('SIGTERM');
  }
}

/** What providers say of it, in their memory. */
function tell(
  { random, share, startMs, folder }: Day,
  { moved, transfers }: WrittenDay,
): { plan: Plan } {
  let last = transfers;
  const nextTransfer = () => `T${String((last += 1)).padStart(9, '0')}`;
  const plan = planStatements(moved, { random, share, startMs, nextTransfer });
  fillMemory(join(folder, 'providers'), { lines: plan.lines, startMs, transfers: last });
  return { plan };
}

type Reconciling = Day & {
  plan: Plan;
  store: EventStore;
  db: Kysely<unknown>;
  urls: { eventStore: string; database: string };
};

async function reconcile(
  day: Reconciling,
): Promise<Pick<DayResult, 'matched' | 'compared' | 'wrong'>> {
  const { measure, servers, urls, plan, db, store } = day;
  await measure.timed('project the operations', async () => {
    const { pid } = await servers.start('projections/main.ts', {
      port: 'PROJECTIONS_PORT',
      env: {
        EVENT_STORE_URL: urls.eventStore,
        DATABASE_URL: urls.database,
        CHECKPOINT_SIGNING_KEY: Buffer.alloc(32, 1).toString('base64'),
        LOG_LEVEL: 'warn',
      },
    });
    measure.watch('projections', pid);
    await projected(db, store);
  });
  const { wanted, wrong } = await measure.timed('import the statements', () => importAll(day));
  await measure.timed('project the statements', () => projected(db, store));
  const matched = await measure.timed('match', async () => {
    const all: Matched[] = [];
    for (const { of } of plan.statements) all.push(await matchStatement(db, of));
    return all;
  });
  const found = matched.flatMap((each) => each.found);
  return { matched, compared: compare(wanted, found), wrong: [...wrong, ...miscounted(matched)] };
}

/**
 * Brings in every statement, as its account's come. @returns what is to be found, and what came in
 * wrong
 */
async function importAll({ folder, servers, startMs, store, plan, measure }: Reconciling) {
  const day = dayOf(startMs);
  const provider = await startProviders(servers, join(folder, 'providers'), day);
  measure.watch('providers', provider.pid);
  const statements = createStatements(provider.url, { lines: plan.lines, day });
  const origin = { actor: 'service:processor', correlationId: 'statements' };
  const wanted: string[] = [];
  const wrong: string[] = [];
  try {
    for (const { of, account } of plan.statements) {
      const given = await statements.given(of, account);
      const byWhom =
        given.source === 'file' ? { ...origin, actor: 'operator:admin', tokenId: 'first' } : origin;
      const imported = await importStatement({ store, origin: byWhom }, given);
      if (imported.outcome !== 'imported')
        throw new Error(`${of.day}: ${JSON.stringify(imported)}`);
      wrong.push(...[differenceOf(given, plan.lines.get(account) ?? []) ?? []].flat());
      const own = plan.planted.filter((each) => isSame(each.of, of));
      wanted.push(...own.map((each) => keyOfPlanted(each, given.lines)));
    }
  } finally {
    await statements.close();
  }
  return { wanted, wrong };
}

const isSame = (left: Planted['of'], right: Planted['of']): boolean =>
  left.provider === right.provider &&
  left.account === right.account &&
  left.currency === right.currency &&
  left.day === right.day;

/** Each line is confirmed, or something is found of it. */
function miscounted(matched: readonly Matched[]): string[] {
  return matched.flatMap(({ of, lines, confirmed, found }) => {
    const ofNoLine = / (not_in_statement[:@]|balance_differs$)/;
    const withFindings = found.filter((key) => !ofNoLine.test(key)).length;
    if (confirmed + withFindings === lines) return [];
    const { provider, account, currency, day } = of;
    const said = `${lines} lines, ${confirmed} confirmed, ${withFindings} findings`;
    return [`${provider} ${account} ${currency} ${day}: ${said}`];
  });
}

async function auditAll({ measure }: Day, urls: Reconciling['urls']) {
  const env = { EVENT_STORE_URL: urls.eventStore, DATABASE_URL: urls.database };
  const run = await measure.timed('audit', () =>
    runAuditProcess(['--json'], env, { withinMs: auditWithinMs }),
  );
  const { code, stdout, stderr } = run;
  return {
    audit: auditReportOf(run),
    ...(code !== 0 && { auditFailed: `${code}\n${stdout}${stderr}` }),
  };
}
