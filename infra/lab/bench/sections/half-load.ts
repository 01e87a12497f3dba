import type { Context } from '../context.ts';
import { closedLoop, openLoop } from '#infra/lab/load/loops.ts';
import { createOperation } from '../load/create.ts';
import {
  onTarget,
  startCommandPathTargets,
  startStackTargets,
  type Target,
} from '../processes/create-targets.ts';
import { startWholeStack } from '../processes/whole-stack.ts';
import type { Section } from '../report/section.ts';
import { inRounds, withCpu, type Row } from '../rounds.ts';

const connections = 64;

/**
 * How even the answers are when nothing is saturated: half of the rate that 64 clients reach, sent
 * steadily over as many connections. Here the cases don't take turns, since nothing is compared but
 * the answers of one: a server at half load has had it for long. One that rests for half a minute
 * between rounds gives memory back, forgets what it compiled and begins each round slowly. The
 * minimal server says how even the machine lets answers be.
 */
export async function measureHalfLoad(context: Context): Promise<Section[]> {
  const path = await context.commandPath();
  const { minimal, 'gateway alone': alone } = await startCommandPathTargets(path);
  const rows = [
    ...(await underHalfLoad(context, 'minimal', minimal)),
    ...(await underHalfLoad(context, 'gateway alone', alone)),
  ];
  const whole = await startWholeStack();
  try {
    const { 'everything running': everything } = await startStackTargets(path, whole);
    rows.push(...(await underHalfLoad(context, 'everything running', everything)));
  } finally {
    await whole.stop();
  }
  return [
    {
      name: 'Creates at half load',
      about:
        'Sent at a steady rate, half of what 64 clients reach; timed from the moment at which each was due.',
      rows,
      figures: rows.map(({ name, tail }) => ({
        name: `p99 of ${name}`,
        unit: 'times its p50',
        value: tail,
      })),
    },
  ];
}

/**
 * Saturated until all is compiled; then, once the workers have done what they were behind with, at
 * half of that, in rounds long enough for what comes each ten seconds to count for about as much as
 * it does in a day.
 */
function underHalfLoad({ quick, rounds }: Context, name: string, target: Target): Promise<Row[]> {
  const seconds = quick
    ? { warmUp: 3, reach: 2, settle: 2, round: 2 }
    : { warmUp: 15, reach: 5, settle: 15, round: 12 };
  return onTarget(target, connections, async ({ client, apiKey }) => {
    const once = async () => void (await createOperation(client, apiKey));
    const saturate = (forSeconds: number) =>
      closedLoop({ clients: connections, durationMs: forSeconds * 1000 }, once);
    await saturate(seconds.warmUp);
    const reached = await saturate(seconds.reach);
    const perSecond = reached.operations / reached.seconds / 2;
    await target.after?.();
    const load = (forSeconds: number) =>
      openLoop({ perSecond, durationMs: forSeconds * 1000 }, once);
    await load(seconds.settle);
    const run = () => withCpu(target.pids(), () => load(seconds.round));
    return inRounds([{ name, run }], { rounds, warmUpRounds: 0 });
  });
}
