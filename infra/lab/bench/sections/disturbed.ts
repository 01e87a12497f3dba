import { watchAt, workOff, type Driver } from '#infra/lab/load/driver.ts';
import type { WindowFigures } from '#infra/lab/load/sample/window.ts';
import { startLoad } from '#infra/lab/load/start-load.ts';
import { startGateway } from '#infra/lab/targets/gateway.ts';
import type { BenchContext } from '../context.ts';
import { disturbances } from '../load/disturbances.ts';
import { unasked } from '../load/life.ts';
import { createFigure, type BenchSection } from '#infra/lab/report/section.ts';

const warmUpSeconds = 20;
/** How long the load continues after the disturbance. */
const afterSeconds = 20;

/**
 * The gateway at a rate that it holds, while another process is frozen or uses a core: what it
 * completes, what it refuses, and how soon everything is finished.
 */
export async function* measureDisturbed({
  quick,
  overloadFrom,
  gatewayEnv,
}: Pick<BenchContext, 'quick' | 'overloadFrom' | 'gatewayEnv'>): AsyncIterable<BenchSection> {
  const disturbedSeconds = quick ? 20 : 60;
  const options = { stepSeconds: disturbedSeconds, settleSeconds: 0 };
  const start = unasked(startGateway(gatewayEnv));
  const settings = { mix: 'withoutReceipts', seed: 1, options, print: () => undefined } as const;
  const { driver, target, stop } = await startLoad(start, settings);
  try {
    await figuresAt(driver, overloadFrom, warmUpSeconds);
    for (const [name, disturb] of Object.entries(disturbances)) {
      const end = disturb(target, overloadFrom);
      const during = await figuresAt(driver, overloadFrom, disturbedSeconds).finally(end);
      const after = await figuresAt(driver, overloadFrom, afterSeconds);
      const endedAt = performance.now();
      await workOff(driver);
      const workedOffS = (performance.now() - endedAt) / 1_000;
      yield {
        name: `Disturbed: ${name}`,
        about: `${overloadFrom} requests a second; ${disturbedSeconds} s with the disturbance, then ${afterSeconds} s without it.`,
        rows: [],
        figures: [
          createFigure('creates answered', '%', share(during)),
          createFigure('creates, p99', 'ms', during.creates.p99Ms),
          createFigure('finished', 'operations/s', during.webhooks.arrived / disturbedSeconds),
          createFigure('creates answered afterwards', '%', share(after)),
          createFigure(
            'finished afterwards',
            'operations/s',
            after.webhooks.arrived / afterSeconds,
          ),
          createFigure('worked off after the load in', 's', workedOffS),
        ],
      };
    }
  } finally {
    await stop();
  }
}

async function figuresAt(driver: Driver, rate: number, seconds: number) {
  const { window } = await watchAt(driver, { phase: 'step', rate }, seconds);
  return window.figures();
}

const share = ({ creates }: WindowFigures) => (creates.answered / Math.max(1, creates.due)) * 100;
