import { identify } from '../process/pids.ts';
import { startWatchdog } from '../process/watchdog.ts';
import { startAll } from './start-all.ts';
import type { Output } from './output.ts';
import { listProcesses, type StackProcess } from './processes.ts';
import type { StackPlan } from './plan.ts';
import { removeStackFile, writeStackFile } from '#infra/stores/stack-file.ts';
import { Supervisor } from './supervise.ts';

type Stack = {
  /** Resolves when every process is ready; rejects with the first that can't be started. */
  readonly ready: Promise<void>;
  /**
   * Stops every process, the edges first and the stores last. Can be called again: the same stop.
   */
  readonly stop: () => Promise<void>;
  /** Kills every process at once. */
  readonly kill: () => void;
};

const stopWithinMs: Record<StackProcess['stage'], number> = {
  0: 15_000,
  1: 10_000,
  2: 25_000,
  3: 10_000,
};

/** Starts every process of the plan. */
export function startStack(plan: StackPlan, output: Output): Stack {
  const watchdog = startWatchdog();
  const supervisor = identify(process.pid);
  const running = new Map<string, Supervisor>();
  let ready = false;
  let stopped: Promise<void> | undefined;

  const publish = () => {
    if (supervisor === undefined || stopped !== undefined) return;
    const processes: Record<string, number> = {};
    for (const [name, member] of running) {
      const now = member.pid();
      if (now !== undefined) processes[name] = now;
    }
    const guard = identify(watchdog.pid() ?? 0);
    writeStackFile(plan.dataDir, {
      supervisor,
      watchdog: guard,
      ready,
      processes,
      services,
      probes,
      env: shared(plan.env),
    });
  };

  const specs = listProcesses(plan);
  const probes = Object.fromEntries(specs.flatMap((spec) => spec.probes ?? []));
  const services = Object.fromEntries(
    specs.flatMap((spec) => (spec.probes ?? []).map(([service]) => [service, spec.name])),
  );
  const start = (spec: StackProcess) => {
    const supervised = new Supervisor(spec, { watchdog, output, onChange: publish });
    running.set(spec.name, supervised);
    return supervised.ready;
  };
  const starting = startAll(specs, { start, output });

  const stopStage = async (stage: StackProcess['stage']) => {
    const members = [...running.values()].filter(({ spec }) => spec.stage === stage);
    await Promise.all(members.map((member) => member.stop(stopWithinMs[stage])));
  };
  const stopAll = async () => {
    for (const stage of [3, 2, 1, 0] as const) await stopStage(stage);
    await watchdog.close();
    removeStackFile(plan.dataDir);
  };

  async function becomeReady(): Promise<void> {
    await starting;
    ready = true;
    publish();
  }

  return {
    ready: becomeReady(),
    stop: () => (stopped ??= stopAll()),
    kill: () => {
      for (const member of running.values()) {
        const now = member.pid();
        if (now !== undefined) process.kill(now, 'SIGKILL');
      }
    },
  };
}

const sharedNames = [
  'NODE_ENV|DEMO|PROCESSES|SHARE_PORTS|LISTEN_HOST|DATA_DIR|.*_PORT',
  'EVENT_STORE_URL|DATABASE_URL|NATS_URL|RECEIPT_STORE_URL|S3_.*',
  'ADMIN_TOKEN.*|RECEIPT_URL_SECRET.*|PERSONAL_DATA_KEY.*',
  'PROVIDER_CREDENTIALS_KEY.*|PROVIDER_CALLBACKS_KEY.*|PROVIDER_ACCEPTANCE_MS',
  'CHECKPOINT_SIGNING_KEY|LOG_SIGNING_KEYS',
  'PAY_.*|GATEWAY_BASE_URL|PORTAL_BASE_URL|WEBHOOK_.*|SANDBOX|SANDBOX_.*|BANK_.*',
];

/** Only the variables that the gateway reads, not the whole environment of the shell. */
function shared(env: StackPlan['env']): Record<string, string> {
  const names = new RegExp(`^(${sharedNames.join('|')})$`);
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)));
}
