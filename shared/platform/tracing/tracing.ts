import { currentScope, inScope } from './scope.ts';
import { spanNow, type Attributes, type SpanExporter, type SpanKind } from './span.ts';
import {
  formatTraceparent,
  isSampled,
  newSpanId,
  newTraceId,
  parseTraceparent,
  type SpanContext,
} from './trace-context.ts';

type Settings = {
  exporter: SpanExporter;
  /** The share of traces that is sampled, 0 to 1. */
  ratio: number;
};

/** One per process; without it there are no spans. */
let settings: Settings | undefined;

/** Begins to trace, or ends it. */
export function useTracing(next: Settings | undefined): void {
  settings = next;
}

/** Sends the remaining spans, and creates no more. */
export async function stopTracing(): Promise<void> {
  const last = settings;
  settings = undefined;
  await last?.exporter.close();
}

type Span = {
  readonly context: SpanContext;
  set(attributes: Attributes): void;
  /**
   * Moves the span, before it has children, into an event's trace, and links the trace that it
   * leaves.
   */
  continueFrom(traceparent: string | undefined): void;
  end(more?: { name?: string; failed?: boolean }): void;
};

type Begin = {
  name: string;
  kind: SpanKind;
  parent?: SpanContext | undefined;
  traceId?: string;
  startMs?: number;
  attributes?: Attributes;
};

function begin(
  { exporter }: Settings,
  { name, kind, parent, traceId, attributes, startMs = spanNow() }: Begin,
): Span {
  let context: SpanContext = {
    traceId: parent?.traceId ?? traceId ?? newTraceId(),
    spanId: newSpanId(),
    sampled: true,
  };
  let parentSpanId = parent?.spanId;
  const links: SpanContext[] = [];
  const all = { ...attributes };
  return {
    get context() {
      return context;
    },
    set: (more) => void Object.assign(all, more),
    continueFrom: (traceparent) => {
      const origin = parseTraceparent(traceparent);
      if (!origin || origin.traceId === context.traceId) return;
      if (parent) links.push(parent);
      context = { ...context, traceId: origin.traceId };
      parentSpanId = origin.spanId;
    },
    end: ({ name: finalName = name, failed = false } = {}) =>
      exporter.export({
        name: finalName,
        kind,
        context,
        parentSpanId,
        startMs,
        endMs: spanNow(),
        attributes: all,
        failed,
        links,
      }),
  };
}

/**
 * The span of a request: in the caller's trace if it names one, else the root of a new trace.
 * Sampling is decided here at random, neither by the caller's flag nor by the caller's id.
 * Undefined without tracing.
 */
export function beginRequestSpan(traceparent: string | undefined): Span | undefined {
  if (!settings) return undefined;
  const parent = parseTraceparent(traceparent);
  const ownId = newTraceId();
  if (!isSampled(ownId, settings.ratio)) return undefined;
  const traceId = parent?.traceId ?? ownId;
  return begin(settings, { name: 'request', kind: 'server', parent, traceId });
}

type SpanDescription = {
  name: string;
  kind?: SpanKind;
  /** The trace of an event that it continues; by default its parent is the running span. */
  traceparent?: string | undefined;
  attributes?: Attributes;
};

/**
 * Runs `work` in a span; without tracing, or if its trace is not sampled, it only runs it. A thrown
 * error marks the span as failed.
 */
export function inSpan<T>(
  describe: () => SpanDescription,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  return settings ? traced(settings, describe, work) : work(undefined);
}

async function traced<T>(
  tracing: Settings,
  describe: () => SpanDescription,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const { kind = 'internal', ...described } = describe();
  const parent =
    'traceparent' in described ? parseTraceparent(described.traceparent) : currentScope()?.span;
  if (!parent) return work(undefined);
  const { name, attributes } = described;
  const span = begin(tracing, { name, kind, parent, ...(attributes && { attributes }) });
  let failed = true;
  try {
    // Read late, because the span may have moved.
    const scope = {
      ...currentScope(),
      get span() {
        return span.context;
      },
    };
    const result = await inScope(scope, () => work(span));
    failed = false;
    return result;
  } finally {
    span.end({ failed });
  }
}

export const isTracing = (): boolean => settings !== undefined;

/**
 * A span of an event's trace from `startMs` (`spanNow`) to now; none if that trace is not sampled.
 */
export function recordSpan(
  { traceparent, kind = 'internal', ...rest }: SpanDescription,
  startMs: number,
): void {
  const parent = parseTraceparent(traceparent);
  if (settings && parent) begin(settings, { ...rest, kind, parent, startMs }).end();
}

/** The current trace, as events store it; undefined if it is not sampled. */
export function currentTraceparent(): string | undefined {
  if (!settings) return undefined;
  const span = currentScope()?.span;
  return span && formatTraceparent(span);
}
