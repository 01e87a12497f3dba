import { expect, it } from 'vitest';
import { formatTraceparent, isSampled, newTraceId, parseTraceparent } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it('round-trips a traceparent', () => {
  const context = { traceId, spanId, sampled: true };
  expect(formatTraceparent(context)).toBe(`00-${traceId}-${spanId}-01`);
  expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
  expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).toEqual({ ...context, sampled: false });
});

it('accepts additional fields of later versions', () => {
  expect(parseTraceparent(`cc-${traceId}-${spanId}-01-what-is-new`)).toMatchObject({
    traceId,
    spanId,
  });
});

it.each([
  ['no value', undefined],
  ['the forbidden version', `ff-${traceId}-${spanId}-01`],
  ['additional fields in version 00', `00-${traceId}-${spanId}-01-more`],
  ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['a zero trace id', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a zero span id', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['too few digits', `00-${traceId.slice(1)}-${spanId}-01`],
  ['an excessive length', `cc-${traceId}-${spanId}-01-${'x'.repeat(300)}`],
])('ignores a traceparent with %s', (_, header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

it('samples traces by their id, at the given ratio', () => {
  const ids = Array.from({ length: 2_000 }, newTraceId);
  const share = ids.filter((id) => isSampled(id, 0.25)).length / ids.length;
  expect(share).toBeGreaterThan(0.15);
  expect(share).toBeLessThan(0.35);
  expect(ids.every((id) => isSampled(id, 1))).toBe(true);
  expect(ids.some((id) => isSampled(id, 0))).toBe(false);
});
