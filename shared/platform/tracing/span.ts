import type { SpanContext } from './trace-context.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type Attributes = Record<string, string | number | boolean>;

/**
 * A span that has ended. Attributes hold ids, names and counts: never what a request or an event
 * says.
 */
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

/** Where spans go: bounded in memory, and never waited for. */
export type SpanExporter = {
  export(span: FinishedSpan): void;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
};

/** Now, on the clock of spans: it never goes back. */
export const spanNow = (): number => performance.timeOrigin + performance.now();
