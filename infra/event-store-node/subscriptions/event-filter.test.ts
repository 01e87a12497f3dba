import { expect, it } from 'vitest';
import { encodeRecord } from '../protocol/recorded-event.ts';
import type { FilterOptions } from '../protocol/read-request.ts';
import type { StoredEvent } from '../storage/stored-event.ts';
import { createEventFilter } from './event-filter.ts';

function eventOf(stream: string, type: string): StoredEvent {
  const content = { revision: 0, position: 1, type, contentType: 'application/json', createdMs: 1 };
  const nothing = Buffer.alloc(0);
  const record = encodeRecord({
    ...content,
    stream,
    metadata: nothing,
    data: nothing,
  });
  return {
    position: 1,
    streamId: 1,
    revision: 0,
    id: Buffer.alloc(16),
    type,
    createdMs: 1,
    record,
  };
}

function matches(
  options: Partial<FilterOptions>,
  stream: string,
  type: string,
): boolean | undefined {
  const defaults = { on: 'stream', regex: '', prefixes: [], maxSearchWindow: 32 } as const;
  const result = createEventFilter({ ...defaults, checkpointIntervalMultiplier: 1, ...options });
  return result.kind === 'filter' ? result.matches(eventOf(stream, type)) : undefined;
}

it.each([
  [{ prefixes: ['order-', 'late-'] }, 'late-1', 'T', true],
  [{ prefixes: ['order-', 'late-'] }, 'a-late-1', 'T', false],
  [{ prefixes: [] }, 'late-1', 'T', false],
  [{ on: 'type', prefixes: ['Pay'] }, 'x', 'Payment', true],
  [{ on: 'type', prefixes: ['Pay'] }, 'Pay', 'x', false],
  [{ regex: 'der' }, 'order-1', 'T', true],
  [{ regex: '^der' }, 'order-1', 'T', false],
  [{ regex: '^[^\\$].*' }, '$$order-1', 'T', false],
  [{ regex: '^[^\\$].*' }, 'order-1', 'T', true],
  [{ regex: '(?i)^ORDER' }, 'order-1', 'T', true],
  [{ on: 'type', regex: '^Payment(Admitted|Ended)$' }, 'x', 'PaymentEnded', true],
  [{ regex: 'größe' }, 'größe-1', 'T', true],
  [{ regex: '^order', prefixes: ['late'] }, 'late-1', 'T', false],
] as const)('matches %o on %s, %s: %s', (options, stream, type, expected) => {
  expect(matches(options, stream, type)).toBe(expected);
});

it('explains why an expression is not supported', () => {
  const filter = {
    on: 'stream',
    regex: '[a-z-[aeiou]]',
    prefixes: [],
    maxSearchWindow: 32,
  } as const;
  expect(createEventFilter({ ...filter, checkpointIntervalMultiplier: 1 })).toEqual({
    kind: 'invalid',
    why: '-[ within a set is not supported',
  });
});
