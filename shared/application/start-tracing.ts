import { randomUUID } from 'node:crypto';
import { Counter } from 'prom-client';
import type { Config } from '#shared/platform/config/load.ts';
import type { Metrics } from '#shared/platform/http/metrics.ts';
import type { Logger } from '#shared/platform/logging/logger.ts';
import manifest from '../../package.json' with { type: 'json' };
import { createOtlpExporter } from '#shared/platform/tracing/otlp-exporter.ts';
import { isTracing, useTracing } from '#shared/platform/tracing/tracing.ts';

/** The variables that `startTracing` needs. */
export const tracingVariables = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_SERVICE_NAME',
] as const;

/**
 * Traces this process where OTEL_EXPORTER_OTLP_ENDPOINT is set; `runService` ends it. Several
 * services in one process have one name, OTEL_SERVICE_NAME, and the first of them counts the spans.
 */
export function startTracing(
  service: string,
  config: Config<(typeof tracingVariables)[number]>,
  { logger, metrics }: { logger: Logger; metrics: Metrics },
): void {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || isTracing()) return;
  const spans = new Counter({
    name: 'gateway_trace_spans_total',
    help: 'Spans by result; dropped: the collector did not accept them in time',
    labelNames: ['result'],
    registers: [metrics],
  });
  for (const result of ['exported', 'dropped']) spans.inc({ result }, 0);
  const exporter = createOtlpExporter({
    endpoint,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    resource: {
      'service.name': config.OTEL_SERVICE_NAME ?? service,
      'service.namespace': 'payment-gateway',
      'service.version': manifest.version,
      'service.instance.id': randomUUID(),
    },
    onSpans: (count, result) => spans.inc({ result }, count),
    onFailure: (error) =>
      logger.warn({ err: error }, 'spans could not be exported to the collector'),
  });
  useTracing({ exporter, ratio: config.OTEL_TRACES_SAMPLER_ARG });
}
