import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { startHelper } from '#infra/verify/harness/processes/helper-process.ts';
import type { MixName } from './generator/kinds.ts';
import type { GeneratorOrder, SinkOrder } from './generator/messages.ts';
import { createSampler } from './sample/sampler.ts';
import type { Driver, StepTiming } from './driver.ts';
import type { StartTarget } from './target.ts';

type LoadSettings<Options extends StepTiming> = Pick<Driver<Options>, 'options' | 'print'> & {
  readonly mix: MixName;
  readonly seed: number;
};

/**
 * Starts a target with a generator, which sends nothing yet, and a sink.
 * @throws when one does not start; none is left then
 */
export async function startLoad<Options extends StepTiming>(
  start: StartTarget,
  { mix, seed, options, print }: LoadSettings<Options>,
) {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each().catch(() => undefined);
  };
  try {
    const sink = startHelper<SinkOrder>('infra/lab/targets/sink/main.ts');
    stops.push(sink.stop);
    const target = await start(sink);
    stops.push(target.stop);
    const generator = startHelper<GeneratorOrder>('infra/lab/load/generator/main.ts');
    stops.push(generator.stop);
    const { url: gateway, shops } = target;
    await generator.request({
      order: 'begin',
      gateway,
      shops,
      mix,
      seed: createRandom(seed).below(2 ** 31),
    });
    const sampler = createSampler({ target, generator, sink });
    const driver: Driver<Options> = { options, sampler, generator, print };
    return { target, driver, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
