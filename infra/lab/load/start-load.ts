import { createRandom } from '#infra/verify/harness/random.ts';
import { startHelper } from '#infra/verify/harness/helper-process.ts';
import type { MixName } from './generator/kinds.ts';
import type { GeneratorOrder, SinkOrder } from './generator/messages.ts';
import { createSampler } from './sample/sampler.ts';
import type { Driver, Pacing } from './driver.ts';
import type { StartTarget } from './target.ts';

type LoadSettings<Options extends Pacing> = Pick<Driver<Options>, 'options' | 'say'> & {
  readonly mix: MixName;
  readonly seed: number;
};

/**
 * Starts a target with a generator, which sends nothing yet, and a sink.
 * @throws when one does not start; none is left then
 */
export async function startLoad<Options extends Pacing>(
  start: StartTarget,
  { mix, seed, options, say }: LoadSettings<Options>,
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
    await generator.ask({
      order: 'begin',
      gateway,
      shops,
      mix,
      seed: createRandom(seed).below(2 ** 31),
    });
    const sampler = createSampler({ target, generator, sink });
    const driver: Driver<Options> = { options, sampler, generator, say };
    return { target, driver, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
