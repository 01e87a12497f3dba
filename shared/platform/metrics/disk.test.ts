import { expect, it } from 'vitest';
import { createMetrics } from '../http/metrics.ts';
import { registerDiskMetrics } from './disk.ts';

async function figures(folder: string): Promise<(number | undefined)[]> {
  const registry = createMetrics('test');
  registerDiskMetrics(registry, folder);
  const valueOf = async (name: string) =>
    (await registry.getSingleMetric(`gateway_data_dir_${name}_bytes`)?.get())?.values[0]?.value;
  return Promise.all(['free', 'disk'].map(valueOf));
}

it('tells how much of a folder’s disk is free', async () => {
  const [free = Number.NaN, size = Number.NaN] = await figures(import.meta.dirname);
  expect(free).toBeGreaterThan(0);
  expect(size).toBeGreaterThan(free);
});

it('takes a folder that can’t be read as unknown, not as full', async () => {
  expect(await figures('/nowhere')).toEqual([Number.NaN, Number.NaN]);
});
