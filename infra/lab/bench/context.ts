import { join } from 'node:path';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/processes/temp-folder.ts';
import type { StartTarget } from '#infra/lab/load/target.ts';
import { startCommandPath, type CommandPath } from './processes/command-path.ts';

export type BenchContext = ReturnType<typeof createBenchContext>;

/** What the sections share: durations, and the command path, started when first needed. */
export function createBenchContext({
  quick,
  apart,
  rates,
  operations = quick ? 1_000 : 20_000,
  onMachine,
}: {
  quick: boolean;
  rates: readonly number[] | undefined;
  operations: number | undefined;
  apart: boolean;
  onMachine: (start: StartTarget) => StartTarget;
}) {
  const nodeOptions = process.env['BENCH_NODE_OPTIONS'];
  const folder = makeTempFolder();
  let commandPath: Promise<CommandPath> | undefined;
  /** The environment of the gateway of `life`, `overload` and `disturbed`. */
  const gatewayEnv: Readonly<Record<string, string>> = {
    LOG_LEVEL: 'warn',
    ...(apart && { PROCESSES: 'apart' }),
    ...(nodeOptions && { NODE_OPTIONS: nodeOptions }),
  };
  return {
    rounds: quick ? 2 : 5,
    /** Of one case in one round. */
    durationMs: quick ? 1_000 : 2_500,
    /** Warm-up load before a case that requires it. */
    rampMs: quick ? 500 : 2_500,
    quick,
    /** Whose log the section `move` moves. */
    operations,
    /** Requests a second that the gateway holds: `overload` uses multiples, `disturbed` this rate. */
    overloadFrom: rates?.[0] ?? 240,
    gatewayEnv,
    /** Starts a system of `life` and `overload` on the chosen machine. */
    onMachine,
    /** Requests a second of the section `life`. */
    rates: rates ?? (quick ? [20, 60] : [20, 60, 120, 240]),
    commandPath: () => (commandPath ??= startCommandPath(join(folder, 'command-path'))),
    stop: async () => {
      const started = await commandPath?.catch(() => undefined);
      await started?.stop();
      removeFolder(folder);
    },
  };
}
