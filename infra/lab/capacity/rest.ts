import { Client } from 'pg';
import { auditReportOf, runAuditProcess } from '#services/audit/testing/run-audit.ts';
import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import type { TestStack } from '#infra/verify/harness/test-stack.ts';
import type { LoadShop } from '#infra/lab/load/generator/messages.ts';
import type { OperationTotals } from '#infra/lab/load/sample/operations.ts';
import type { Sampler } from '#infra/lab/load/sample/sampler.ts';
import { workOff, type Driver } from '#infra/lab/load/driver.ts';

type AuditOutcome = {
  readonly code: number;
  readonly seconds: number;
  readonly events: number;
  readonly operations: number;
  readonly entries: number;
};

export type AtRest = {
  /** From the last arrival until nothing was open any more. */
  readonly restS: number;
  readonly totals: OperationTotals;
  /** As the tables have them. */
  readonly inTables: {
    readonly operations: number;
    readonly open: number;
    readonly messages: number;
    readonly undelivered: number;
  };
  readonly audit: AuditOutcome;
  /** What should not be; undefined if all is well. */
  readonly findings: readonly string[];
};

const restTries = 3;
const nothingRead = { events: Number.NaN, operations: Number.NaN, entries: Number.NaN };
const auditWithinMs = 60 * 60_000;

/** Stops what arrives, waits until everything has ended, and looks whether all of it did. */
export async function comeToRest(
  driver: Driver,
  { stack, shops }: { stack: TestStack; shops: readonly LoadShop[] },
): Promise<AtRest> {
  const { sampler, say } = driver;
  const beganMs = performance.now();
  // Each waits a minute and a half at most; what never had a receipt expires in that time.
  for (let tried = 0; tried < restTries; tried += 1) {
    await workOff(driver, 0);
    if (sampler.operations.open() === 0) break;
  }
  const restS = (performance.now() - beganMs) / 1_000;
  const totals = sampler.operations.totals();
  let inTables = await readTables(stack, shops);
  const written = async () => {
    inTables = await readTables(stack, shops);
    return inTables.undelivered === 0 && inTables.open === 0;
  };
  // What is missing then is a finding.
  await waitUntil('everything is written', written, { timeoutMs: 30_000, intervalMs: 1_000 }).catch(
    () => undefined,
  );
  say(
    `at rest after ${restS.toFixed(0)} s: ${totals.ended} of ${totals.created} operations have ended; the audit`,
  );
  const audit = await runAudit(stack);
  return {
    restS,
    totals,
    inTables,
    audit,
    findings: findingsOf({ totals, inTables, audit, sampler }),
  };
}

type Seen = Pick<AtRest, 'totals' | 'inTables' | 'audit'> & { sampler: Pick<Sampler, 'faults'> };

function findingsOf({ totals, inTables, audit, sampler }: Seen): string[] {
  const { created, ended, webhooks, outOfOrder, gaps, unanswered } = totals;
  const { operations, open, messages, undelivered } = inTables;
  const rules: [broken: boolean, text: string][] = [
    [ended !== created, `no webhook told of the end of ${created - ended} operations`],
    [open > 0, `${open} operations are open in the read model`],
    [
      operations < created + unanswered,
      `the read model has ${operations} operations of ${created + unanswered}`,
    ],
    [undelivered > 0, `${undelivered} webhooks are not delivered`],
    [messages !== webhooks, `${messages} webhooks are recorded, ${webhooks} came to the sink`],
    [gaps > 0, `of ${gaps} operations a webhook before the last one never came`],
    [outOfOrder > 0, `${outOfOrder} webhooks came after a later one of their operation`],
    [
      sampler.faults.length > 0,
      `webhooks without a valid signature: ${sampler.faults.slice(0, 3).join(', ')}`,
    ],
    [audit.code !== 0, `the audit ended with ${audit.code}`],
  ];
  return rules.filter(([broken]) => broken).map(([, text]) => text);
}

async function readTables(
  stack: TestStack,
  shops: readonly LoadShop[],
): Promise<AtRest['inTables']> {
  const client = new Client({ connectionString: stack.env['DATABASE_URL'] });
  await client.connect();
  try {
    const ids = [shops.map(({ shopId }) => shopId)];
    type Count = { status: string; count: number };
    const count = async (table: string) => {
      const text = `select status::text, count(*)::int as count from ${table} where shop_id = any($1) group by status`;
      return (await client.query<Count>(text, ids)).rows;
    };
    const sum = (rows: readonly Count[]) => rows.reduce((all, row) => all + row.count, 0);
    const operations = await count('gateway.operations');
    const messages = await count('webhooks.message');
    return {
      operations: sum(operations),
      open: sum(operations.filter(({ status }) => !isTerminal(status as Operation['status']))),
      messages: sum(messages),
      undelivered: sum(messages.filter(({ status }) => status !== 'delivered')),
    };
  } finally {
    await client.end();
  }
}

/** `npm run audit` beside the stack that still runs. */
async function runAudit({ dataDir }: TestStack): Promise<AuditOutcome> {
  const beganMs = performance.now();
  const run = await runAuditProcess(['--json'], { DATA_DIR: dataDir }, { withinMs: auditWithinMs });
  const seconds = (performance.now() - beganMs) / 1_000;
  const { events, operations, entries } = auditReportOf(run) ?? nothingRead;
  return { code: run.code, seconds, events, operations, entries };
}
