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

/** One per process; without it no span is made or looked up. */
let settings: Settings | undefined;

/** Begins to trace, or ends it. */
export function useTracing(next: Settings | undefined): void {
  settings = next;
}

/** Sends what is left of the spans, and makes no more. */
export async function stopTracing(): Promise<void> {
  const last = settings;
  settings = undefined;
  await last?.exporter.close();
}

type Span = {
  readonly context: SpanContext;
  set(attributes: Attributes): void;
  /**
   * Moves it, before it has spans of its own, into the trace of an event; where it was becomes a
   * link.
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
 * The span of a request: in the caller's trace where it named one, else the first of a new trace.
 * Only requests begin traces. Whether this part of a trace is sampled is decided here at random:
 * neither by the caller's flag nor by the id, which the caller chose. Undefined while not tracing.
 */
export function beginRequestSpan(traceparent: string | undefined): Span | undefined {
  if (!settings) return undefined;
  const parent = parseTraceparent(traceparent);
  const ownId = newTraceId();
  if (!isSampled(ownId, settings.ratio)) return undefined;
  const traceId = parent?.traceId ?? ownId;
  return begin(settings, { name: 'request', kind: 'server', parent, traceId });
}

type Described = {
  name: string;
  kind?: SpanKind;
  /**
   * Where it continues an event's trace; where it is not named, it belongs to the span that runs
   * now.
   */
  traceparent?: string | undefined;
  attributes?: Attributes;
};

/**
 * Runs `work` in a span of the trace that it belongs to; without tracing, or if that trace is not
 * sampled, it only runs it. `failed` is what it throws.
 */
export function inSpan<T>(
  describe: () => Described,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  return settings ? traced(settings, describe, work) : work(undefined);
}

async function traced<T>(
  tracing: Settings,
  describe: () => Described,
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
    // Asked when it is needed: the span may have moved by then.
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
 * A span of an event's trace that has begun at `startMs` (`spanNow`) and ends now; none if that
 * trace is not sampled.
 */
export function recordSpan(
  { traceparent, kind = 'internal', ...rest }: Described,
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
