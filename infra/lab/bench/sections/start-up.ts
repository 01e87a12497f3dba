import type { Context } from '../context.ts';
import { proportionalBytes } from '#infra/lab/load/sample/usage.ts';
import { startWholeStack } from '../processes/whole-stack.ts';
import type { Figure, Section } from '#infra/lab/report/section.ts';
import { spread } from '#infra/verify/harness/statistics.ts';

const restMs = 5_000;

/** How long a start takes, and what the whole stack holds of memory, at rest. */
export async function measureStartUp(context: Context): Promise<Section[]> {
  const starts: number[] = [];
  const memory = new Map<string, number[]>();
  const rounds = Math.min(3, context.rounds);
  for (let round = 0; round < rounds; round += 1) {
    const stack = await startWholeStack();
    try {
      starts.push(stack.startUpMs);
      await new Promise((resolve) => setTimeout(resolve, restMs));
      const parts = { ...stack.processes(), 'whole stack': stack.pids() };
      for (const [name, pids] of Object.entries(parts)) {
        const megabytes = proportionalBytes([pids].flat()) / 1024 / 1024;
        memory.set(name, [...(memory.get(name) ?? []), megabytes]);
      }
    } finally {
      await stack.stop();
    }
  }
  const figures: Figure[] = [
    { name: 'from the command to ready, empty DATA_DIR', unit: 'ms', value: spread(starts) },
    ...[...memory].map(([name, megabytes]): Figure => ({
      name: `memory of ${name}`,
      unit: 'MB',
      value: spread(megabytes),
    })),
  ];
  const about = 'Memory at rest, proportional set size; without the demo.';
  return [{ name: 'Start-up and memory', about, rows: [], figures }];
}
