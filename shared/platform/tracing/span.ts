import type { SpanContext } from './trace-context.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type Attributes = Record<string, string | number | boolean>;

/** An ended span. Attributes hold ids, names and counts, never content of requests or events. */
export type FinishedSpan = {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  /** Milliseconds since the epoch, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
  /** Other traces that had a part in it. */
  readonly links: readonly SpanContext[];
};

/** The destination of spans: bounded in memory, and never awaited. */
export type SpanExporter = {
  export(span: FinishedSpan): void;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
};

/** The time by the monotonic clock of spans. */
export const spanNow = (): number => performance.timeOrigin + performance.now();
