import { join } from 'node:path';
import { makeTempFolder, removeFolder } from '#infra/verify/harness/temp-folder.ts';
import { startCommandPath, type CommandPath } from './processes/command-path.ts';
import { startWholeStack, type WholeStack } from './processes/whole-stack.ts';

/** The shared context of the sections: durations, and the processes, started when first needed. */
export type Context = {
  rounds: number;
  /** Of one case in one round. */
  durationMs: number;
  /** Warm-up load before a case that requires it. */
  rampMs: number;
  quick: boolean;
  /** Requests a second of the section `life`. */
  rates: readonly number[];
  /** Whose log the section `move` moves. */
  operations: number;
  /** Requests a second that the gateway holds: `overload` uses multiples, `disturbed` this rate. */
  overloadFrom: number;
  /** The environment of the gateway of `life`, `overload` and `disturbed`. */
  gatewayEnv: Readonly<Record<string, string>>;
  commandPath(): Promise<CommandPath>;
  wholeStack(): Promise<WholeStack>;
  stop(): Promise<void>;
};

export function createContext({
  quick,
  apart,
  rates,
  operations = quick ? 1_000 : 20_000,
}: {
  quick: boolean;
  rates: readonly number[] | undefined;
  operations: number | undefined;
  apart: boolean;
}): Context {
  const nodeOptions = process.env['BENCH_NODE_OPTIONS'];
  const folder = makeTempFolder();
  let commandPath: Promise<CommandPath> | undefined;
  let wholeStack: Promise<WholeStack> | undefined;
  return {
    rounds: quick ? 2 : 5,
    durationMs: quick ? 1_000 : 2_500,
    rampMs: quick ? 500 : 2_500,
    quick,
    operations,
    overloadFrom: rates?.[0] ?? 240,
    gatewayEnv: {
      LOG_LEVEL: 'warn',
      ...(apart && { PROCESSES: 'apart' }),
      ...(nodeOptions && { NODE_OPTIONS: nodeOptions }),
    },
    rates: rates ?? (quick ? [20, 60] : [20, 60, 120, 240]),
    commandPath: () => (commandPath ??= startCommandPath(join(folder, 'command-path'))),
    wholeStack: () => (wholeStack ??= startWholeStack()),
    stop: async () => {
      const started = await Promise.allSettled([commandPath, wholeStack]);
      for (const each of started) if (each.status === 'fulfilled') await each.value?.stop();
      removeFolder(folder);
    },
  };
}
