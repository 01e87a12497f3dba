import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { waitUntil } from '#infra/process/wait-until.ts';
import { connectEventStore } from '#shared/application/event-store.ts';
import type { EventStore, StoredEvent } from '#shared/platform/event-store/index.ts';
import { readSecretsFile } from '#infra/stores/secrets-file.ts';
import { auditReportOf, runAuditProcess } from '#services/audit/testing/run-audit.ts';
import type { Find, BrokenRule } from '#infra/verify/harness/tests/finding.ts';
import { findMissingWebhooks, requiredWebhooks } from './checks/webhooks.ts';
import { inflict } from './faults/inflict.ts';
import { planFaults, planKills, usualPaceMs, type PlannedFault } from './faults/plan.ts';
import { judgeRun, operationLog, touchedStreams, type RunEvidence } from './judge.ts';
import type { StoryStage } from './load/act.ts';
import { createSender } from './load/sender.ts';
import { createTally } from './load/history.ts';
import { runLoad, type ChaosLoad } from './load/load.ts';
import { openShops } from './load/shops.ts';
import {
  startProxiedStack,
  type ProxiedStack,
} from '#infra/verify/harness/stacks/proxied-stack.ts';
import { openSink, type Sink } from './sink.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

type ChaosOptions = {
  readonly seed: number;
  /** The duration of load and faults, without start, rest and checks. */
  readonly forMs: number;
  /** Of each service. */
  readonly instances: number;
  /** The pauses between kills, and between other faults; milliseconds. */
  readonly paceMs?: number;
  /** Only this process is killed, and nothing else is broken. */
  readonly only?: string;
  readonly onFault?: (fault: PlannedFault) => void;
  /** Gets the progress. */
  readonly onStep?: (what: string) => void;
};

export type ChaosResult = Awaited<ReturnType<typeof runChaos>>;

/**
 * Breaks a whole stack on purpose under load, lets it come to rest, and verifies what it has
 * answered.
 */
export async function runChaos(options: ChaosOptions) {
  const { seed, forMs, instances, paceMs = usualPaceMs, onStep = () => undefined } = options;
  const findings: BrokenRule[] = [];
  const find: Find = (what, shows) => void findings.push({ what, shows });
  const sink = await openSink(createRandom(seed + 1), { failureIn: 12, slowestAnswerMs: 60 });
  onStep('the stack starts');
  const stack = await startProxiedStack(instances);
  const store = connectEventStore(stack.stores.EVENT_STORE_URL);
  try {
    const tally = createTally();
    const shops = await openShops(stack, sink);
    onStep('load and faults');
    const endsAt = performance.now() + forMs;
    let patientUntil = endsAt + waitLimitMs;
    const until = () => patientUntil;
    const sender = createSender({
      tally,
      random: createRandom(seed + 2),
      until,
      onHang: ({ what, url }) => find('a request hangs', { what, url }),
      onFailure: (answer) => find('an answer is a server error', answer),
    });
    const stage: StoryStage = { stack, shops, sender, until };
    const loading = runLoad(stage, { seed, random: createRandom(seed + 3), endsAt });
    const plan =
      options.only === undefined
        ? planFaults(createRandom(seed), { forMs, instances, paceMs })
        : planKills(createRandom(seed), { process: options.only, forMs, paceMs });
    const faults = await inflict(stack, plan, options.onFault);
    const faultsOverMs = performance.now();
    onStep('faults are over: everything comes to rest');
    await stack.waitReady().catch((error: unknown) => find((error as Error).message));
    onStep('every process is ready');
    const load = await loading;
    onStep('every operation has ended');
    const endedMs = performance.now();
    patientUntil = Math.max(patientUntil, performance.now() + waitLimitMs);
    const evidence = await comeToRest({ stage, load, sink, store });
    const lastMs = Math.max(endedMs, sink.arrivals.at(-1)?.arrivedAtMs ?? 0);
    /** From the end of the faults until every operation and webhook had come to its end. */
    const restMs = lastMs - faultsOverMs;
    onStep('the audit');
    const audited = await runAudit(stack);
    if (audited.code !== 0) find(`the audit ended with ${audited.code}`, audited.shows);
    findings.push(...judgeRun(evidence));
    return {
      seed,
      operations: load.acted.length,
      webhooks: sink.arrivals.length,
      webhooksLateMs: computeDelays(sink),
      requests: tally.counts,
      faults,
      restMs,
      audit: audited.summary,
      findings,
      evidence,
      /** Warnings and errors of the processes; none is a finding by itself. */
      complaints: stack.complaints,
    };
  } finally {
    await store.close();
    await stack.stop();
    await sink.close();
  }
}

/** The delay of the first arrival of each webhook after its event, milliseconds, ascending. */
function computeDelays({ arrivals }: Sink): number[] {
  const first = new Map(arrivals.toReversed().map(({ id, lateMs }) => [id, lateMs]));
  return [...first.values()].toSorted((left, right) => left - right);
}

type Rest = { stage: StoryStage; load: ChaosLoad; sink: Sink; store: EventStore };

/**
 * Reads the log of all requested operations, and waits for the required webhooks; the judge reports
 * missing ones.
 */
async function comeToRest({ stage, load, sink, store }: Rest): Promise<RunEvidence> {
  const log = new Map<string, readonly StoredEvent[]>();
  for (const stream of touchedStreams(load)) log.set(stream, await store.read(stream));
  const required = load.acted.flatMap((acted) => requiredWebhooks(operationLog(log, acted)));
  const timeoutMs = Math.max(1_000, stage.until() - performance.now());
  const arrived = () => findMissingWebhooks(sink.arrivals, required).length === 0;
  await waitUntil('webhooks', arrived, { timeoutMs, intervalMs: 200 }).catch(() => undefined);
  const { arrivals, faults } = sink;
  return { ...load, log, arrivals: [...arrivals], faults: [...faults] };
}

/** Runs the audit in its own process, without the proxies; it waits for events in flight. */
async function runAudit({ dataDir, stores }: ProxiedStack) {
  // The stack's own address of the log is that of a proxy, so these keys are not found.
  const { LOG_SIGNING_KEYS = '' } = readSecretsFile(dataDir);
  const env = { DATA_DIR: dataDir, ...stores, LOG_SIGNING_KEYS };
  const run = await runAuditProcess(['--json'], env);
  const report = auditReportOf(run);
  if (report === undefined) return { code: run.code, summary: 'no report', shows: run };
  const { events, operations, entries, findings, violated_rules: violated } = report;
  const summary = `${events} events, ${operations} operations, ${entries} entries`;
  return { code: run.code, summary, shows: { violated, findings } };
}
