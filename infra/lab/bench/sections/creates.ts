import type { Context } from '../context.ts';
import { postJson } from '#infra/lab/load/http-client.ts';
import { closedLoop, type Load } from '#infra/lab/load/loops.ts';
import { createOperation } from '../load/create.ts';
import {
  onTarget,
  startCommandPathTargets,
  startStackTargets,
  type Targets,
} from '../processes/create-targets.ts';
import { startWholeStack } from '../processes/whole-stack.ts';
import type { Section } from '../report/section.ts';
import { inRounds, withCpu, type Case } from '../rounds.ts';

const widest = 64;
const widths = [1, 16, widest] as const;

type Times = Pick<Context, 'rampMs' | 'durationMs'>;

/**
 * Payments created per second, alone and with everything running, beside the least that could be
 * done.
 */
export async function* measureCreates(context: Context): AsyncGenerator<Section> {
  const path = await context.commandPath();
  const commandPath = await startCommandPathTargets(path);
  await warmUp(context, commandPath);
  for (const clients of context.quick ? [widest] : widths) {
    // A stack of its own for each section: providers are asked about payments that they are silent
    // about for five minutes, and those of one section must not slow the next.
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
 * A server runs for weeks: its code is compiled before anything counts, the longest of which takes
 * some ten seconds.
 */
async function warmUp({ quick }: Context, targets: Partial<Targets>): Promise<void> {
  const times = { rampMs: 0, durationMs: quick ? 2_000 : 10_000 };
  for (const each of casesOf(times, targets, widest)) await each.run();
}

function casesOf(
  { rampMs, durationMs }: Times,
  targets: Partial<Targets>,
  clients: number,
): Case[] {
  const against: Partial<Record<keyof Targets, string[]>> = {
    minimal: ['bare'],
    'gateway alone': ['minimal'],
    'gateway alone, sandbox provider': ['minimal'],
    'everything running': ['minimal'],
    'everything running, sandbox provider': ['minimal'],
    'everything running, payments that end': ['minimal'],
  };
  return (Object.entries(targets) as [keyof Targets, Targets[keyof Targets]][]).map(
    ([name, target]) => ({
      name,
      against: against[name] ?? [],
      run: () =>
        onTarget(target, clients, async ({ client, apiKey }) => {
          const load = (forMs: number) =>
            name === 'bare'
              ? // It has its clients in its own process.
                postJson<Load>(client, '/run', { clients, durationMs: forMs })
              : closedLoop(
                  { clients, durationMs: forMs },
                  async () => void (await createOperation(client, apiKey)),
                );
          // What has idled while others were measured is slow for some seconds.
          if (rampMs > 0) await load(rampMs);
          return withCpu(target.pids(), () => load(durationMs));
        }),
    }),
  );
}
