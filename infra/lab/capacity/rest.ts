import { auditReportOf, runAuditProcess } from '#services/audit/testing/run-audit.ts';
import { workOff, type Driver } from '#infra/lab/load/driver.ts';

const restTries = 3;
const nothingRead = { events: Number.NaN, operations: Number.NaN, entries: Number.NaN };
const auditWithinMs = 60 * 60_000;

/** Stops the arrivals, waits until everything has ended, and checks that everything did. */
export async function comeToRest(driver: Driver, dataDir: string) {
  const { sampler, print } = driver;
  const beganMs = performance.now();
  // Each wait takes a minute and a half at most; payments without a receipt expire in that time.
  for (let tried = 0; tried < restTries; tried += 1) {
    await workOff(driver, 0);
    if (sampler.operations.open() === 0) break;
  }
  /** The time from the last arrival until nothing was open. */
  const restS = (performance.now() - beganMs) / 1_000;
  const totals = sampler.operations.totals();
  print(
    `at rest after ${restS.toFixed(0)} s: ${totals.ended} of ${totals.created} operations have ended; the audit`,
  );
  const audit = await runAudit(dataDir);
  const { created, ended, outOfOrder, gaps } = totals;
  const rules: [broken: boolean, text: string][] = [
    [ended !== created, `no webhook reported the end of ${created - ended} operations`],
    [gaps > 0, `of ${gaps} operations a webhook before the last one never came`],
    [outOfOrder > 0, `${outOfOrder} webhooks came after a later one of their operation`],
    [
      sampler.faults.length > 0,
      `webhooks without a valid signature: ${sampler.faults.slice(0, 3).join(', ')}`,
    ],
    [audit.code !== 0, `the audit ended with ${audit.code}`],
  ];
  const findings = rules.filter(([broken]) => broken).map(([, text]) => text);
  return { restS, totals, audit, findings };
}

/** Runs `npm run audit` alongside the running stack. */
async function runAudit(dataDir: string) {
  const beganMs = performance.now();
  const run = await runAuditProcess(['--json'], { DATA_DIR: dataDir }, { withinMs: auditWithinMs });
  const seconds = (performance.now() - beganMs) / 1_000;
  const { events, operations, entries } = auditReportOf(run) ?? nothingRead;
  return { code: run.code, seconds, events, operations, entries };
}
