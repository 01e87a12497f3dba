import type { Context } from '../context.ts';
import {
  startCommandPathTargets,
  startStackTargets,
  type Targets,
} from '../processes/create-targets.ts';
import { startWholeStack } from '../processes/whole-stack.ts';
import type { Section } from '#infra/lab/report/section.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const widest = 64;
const widths = [1, 16, widest] as const;

type Times = Pick<Context, 'rampMs' | 'durationMs'>;

/**
 * Payments created per second, alone and with everything running, compared with a minimal server.
 */
export async function* measureCreates(context: Context): AsyncGenerator<Section> {
  const path = await context.commandPath();
  const commandPath = await startCommandPathTargets(path);
  await warmUp(context, commandPath);
  for (const clients of context.quick ? [widest] : widths) {
    // A separate stack for each section: payments without callbacks are polled for five minutes,
    // and must not slow the next section.
    const whole = await startWholeStack();
    try {
      const everything = await startStackTargets(path, whole);
      await warmUp(context, everything);
      const cases = casesOf(context, { ...commandPath, ...everything }, clients);
      yield {
        name: `Creates, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
        about:
          'Payments created. "minimal": a Hono server with two appends of an event each and one call of a trivial provider between them.',
        rows: await inRounds(cases, { rounds: context.rounds, warmUpRounds: 0 }),
        figures: [],
      };
    } finally {
      await whole.stop();
    }
  }
}

/**
 * A server runs for weeks, so its code is compiled before the measurement, which takes some ten
 * seconds.
 */
async function warmUp({ quick }: Context, targets: Targets): Promise<void> {
  const times = { rampMs: 0, durationMs: quick ? 2_000 : 10_000 };
  for (const each of casesOf(times, targets, widest)) await each.run();
}

const against: Readonly<Record<string, string[]>> = {
  minimal: ['bare'],
  'gateway alone': ['minimal'],
  'everything running': ['minimal'],
};

function casesOf({ rampMs, durationMs }: Times, targets: Targets, clients: number): Case[] {
  return Object.entries(targets).map(([name, { pids, connect, after }]) => ({
    name,
    against: against[name] ?? [],
    run: async () => {
      const { load, close } = connect(clients);
      try {
        // A process that has idled while others were measured is slow for some seconds.
        if (rampMs > 0) await load(rampMs);
        return await withCpu(pids(), () => load(durationMs));
      } finally {
        await close();
        await after?.();
      }
    },
  }));
}
