import { kinds } from '#infra/lab/load/generator/kinds.ts';
import { stores } from '#infra/lab/load/sample/disk.ts';
import type { Sample } from '#infra/lab/load/sample/sample.ts';

/** Every second as a row, for spreadsheets. A figure that is not known is empty. */
export function samplesToCsv(samples: readonly Sample[]): string {
  const processes = [...new Set(samples.flatMap((sample) => Object.keys(sample.processes)))];
  const columns: readonly (readonly [string, (sample: Sample) => string | number | undefined])[] = [
    ['at_s', ({ atS }) => atS],
    ['phase', ({ phase }) => phase],
    ['rate', ({ rate }) => rate],
    ...[...kinds, 'creates' as const].flatMap((kind) =>
      (['due', 'answered', 'failed', 'p50Ms', 'p95Ms', 'p99Ms'] as const).map(
        (field) =>
          [
            `${kind}_${field.replace('Ms', '_ms')}`,
            (sample: Sample) => (kind === 'creates' ? sample.creates : sample.kinds[kind])[field],
          ] as const,
      ),
    ),
    ['in_flight', ({ inFlight }) => inFlight],
    ['webhooks_arrived', ({ webhooks }) => webhooks.arrived],
    ['webhooks_p50_ms', ({ webhooks }) => webhooks.p50Ms],
    ['webhooks_p99_ms', ({ webhooks }) => webhooks.p99Ms],
    ['operations_open', ({ open }) => open],
    ['read_models_behind_events', ({ waiting }) => waiting.projectionLagEvents],
    ['read_models_behind_s', ({ waiting }) => waiting.projectionLagS],
    ['webhooks_waiting', ({ waiting }) => waiting.webhooksWaiting],
    ['oldest_webhook_s', ({ waiting }) => waiting.oldestWebhookS],
    ['relay_lag_s', ({ waiting }) => waiting.relayLagS],
    ['overdue_operations', ({ waiting }) => waiting.overdueOperations],
    ['oldest_overdue_s', ({ waiting }) => waiting.oldestOverdueS],
    ['machine_busy', ({ machine }) => machine.busy],
    ['machine_iowait', ({ machine }) => machine.iowait],
    ['machine_steal', ({ machine }) => machine.steal],
    ...processes.flatMap((name) => [
      [`${name}_cores`, (sample: Sample) => sample.processes[name]?.cores] as const,
      [`${name}_bytes`, (sample: Sample) => sample.processes[name]?.memoryBytes] as const,
      [`${name}_own_bytes`, (sample: Sample) => sample.processes[name]?.ownMemoryBytes] as const,
    ]),
    ...stores.map(
      (store) => [`disk_${store}_bytes`, (sample: Sample) => sample.diskBytes?.[store]] as const,
    ),
  ];
  const cell = (value: string | number | undefined) => {
    if (typeof value !== 'number') return value ?? '';
    return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : '';
  };
  const rows = samples.map((sample) => columns.map(([, of]) => cell(of(sample))));
  const head = columns.map(([name]) => name.replaceAll(/[ -]/g, '_'));
  return `${[head, ...rows].map((cells) => cells.join(',')).join('\n')}\n`;
}
