import { randomBytes } from 'node:crypto';

/** A place in a trace (W3C Trace Context): ids in lower-case hexadecimal. */
export type SpanContext = {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
};

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const longest = 256;

/**
 * The parsed `traceparent`; undefined if it is malformed, which does not fail the request (W3C
 * Trace Context 3.2).
 */
export function parseTraceparent(header: string | undefined): SpanContext | undefined {
  if (header === undefined || header.length > longest) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = pattern.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined))
    return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

export const newTraceId = (): string => randomBytes(16).toString('hex');
export const newSpanId = (): string => randomBytes(8).toString('hex');

/** Whether a trace with an id of our own is sampled. */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(20), 16) < ratio * 2 ** 48;
}
