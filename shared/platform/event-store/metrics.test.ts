import { expect, it } from 'vitest';
import { streamKinds } from '#shared/domain/log/streams.ts';
import { createMetrics } from '#shared/platform/http/metrics.ts';
import { observeAppends, streamKind } from './metrics.ts';
import type { AppendOutcome } from './types.ts';

it('derives the kind of a stream from its name', () => {
  const streams = [
    'operation-1-2',
    'ledger-1-RUB',
    'directory',
    'webhook-commands',
    'api-key-use-1',
  ];
  expect(streams.map((stream) => streamKind(stream, streamKinds))).toEqual([
    'operation',
    'ledger',
    'directory',
    'webhook_commands',
    'api_key_use',
  ]);
  expect(streamKind('constructor-1', streamKinds)).toBe('other');
});

it('counts outcomes, retries and appends in doubt', async () => {
  const metrics = createMetrics('test');
  const script: { outcome: AppendOutcome; sends: number }[] = [
    { outcome: { outcome: 'appended', revision: 0, position: 0n }, sends: 1 },
    { outcome: { outcome: 'conflict', actualRevision: 3 }, sends: 1 },
    { outcome: { outcome: 'appended', revision: 1, position: 1n }, sends: 3 },
  ];
  const append = observeAppends(
    async (_, effort) => {
      const step = script.shift();
      if (!step) throw new Error('rejected');
      effort.sends = step.sends;
      effort.inDoubt = step.sends > 1;
      return step.outcome;
    },
    metrics,
    streamKinds,
  );
  const request = { stream: 'operation-1', expectedRevision: -1, events: [] };
  for (let turn = 0; turn < 3; turn += 1) await append(request);
  await expect(append(request)).rejects.toThrow('rejected');
  const text = await metrics.metrics();
  const count = (outcome: string) =>
    new RegExp(
      `append_duration_seconds_count\\{.*kind="operation",outcome="${outcome}".*\\} (\\d+)`,
    ).exec(text)?.[1];
  expect(['appended', 'conflict', 'refused'].map(count)).toEqual(['2', '1', '1']);
  expect(text).toMatch(/append_retries_total\{kind="operation".*\} 2/);
  expect(text).toMatch(/appends_in_doubt_total\{resolution="appended".*\} 1/);
  expect(text).toMatch(/appends_in_flight\{.*\} 0/);
});
