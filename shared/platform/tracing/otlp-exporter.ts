import { createHttpClient } from '../http-client/client.ts';
import { exchange } from '../http-client/exchange.ts';
import { toOtlpJson } from './otlp-json.ts';
import type { Attributes, FinishedSpan, SpanExporter } from './span.ts';

type OtlpOptions = {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`: spans go to its `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** Who the spans are of. */
  resource: Attributes;
  onSpans(count: number, result: 'exported' | 'dropped'): void;
  /** The first failure after a success. */
  onFailure(error: unknown): void;
};

/** Spans beyond it are dropped, which bounds memory while the collector is down. */
const maxQueued = 4_096;
const maxBatch = 512;
const everyMs = 1_000;
const timeoutMs = 5_000;
const closeTimeoutMs = 2_000;
const maxAnswerBytes = 64 * 1024;

/** Sends spans to a collector in batches, one at a time. What it refuses is dropped. */
export function createOtlpExporter(options: OtlpOptions): SpanExporter {
  const { origin, pathname, search } = new URL(`${options.endpoint.replace(/\/+$/, '')}/v1/traces`);
  const client = createHttpClient(origin, { maxConnections: 1 });
  const headers = { ...options.headers, 'content-type': 'application/json' };
  let queue: FinishedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let works = true;

  const send = async (limitMs: number) => {
    const batch = queue.slice(0, maxBatch);
    queue = queue.slice(maxBatch);
    try {
      const body = JSON.stringify(toOtlpJson(batch, options.resource));
      const outcome = await exchange(
        client,
        { method: 'POST', path: `${pathname}${search}`, headers, body, maxAnswerBytes },
        { timeoutMs: limitMs },
      );
      if (!outcome.ok) throw new Error(`the collector is unavailable: ${outcome.fault}`);
      if (outcome.status < 200 || outcome.status >= 300)
        throw new Error(`the collector returned ${outcome.status}`);
      works = true;
      options.onSpans(batch.length, 'exported');
    } catch (error) {
      if (works) options.onFailure(error);
      works = false;
      options.onSpans(batch.length, 'dropped');
    }
  };
  const flush = () => {
    timer = undefined;
    sending ??= send(timeoutMs).finally(() => {
      sending = undefined;
      if (queue.length > 0) arm();
    });
  };
  const arm = () => {
    timer ??= setTimeout(flush, queue.length >= maxBatch ? 0 : everyMs).unref();
  };

  return {
    export: (span) => {
      if (queue.length >= maxQueued) return options.onSpans(1, 'dropped');
      queue.push(span);
      if (!sending) arm();
    },
    close: async () => {
      clearTimeout(timer);
      const endsAt = performance.now() + closeTimeoutMs;
      await Promise.race([
        sending,
        new Promise((resolve) => setTimeout(resolve, closeTimeoutMs).unref()),
      ]);
      while (queue.length > 0 && performance.now() < endsAt) await send(endsAt - performance.now());
      await client.close();
    },
  };
}
