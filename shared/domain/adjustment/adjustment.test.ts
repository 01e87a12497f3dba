import { expect, test } from 'vitest';
import { evolveAdjustment, noAdjustment, notePosted, requestAdjustment } from './adjustment.ts';
import type { AdjustmentEvent } from './events.ts';

const request = {
  shop_id: 's',
  adjustment_id: 'invoice-7',
  currency: 'RUB',
  amount: '-10.00',
  reason: 'withdrawal',
};
const after = (...events: AdjustmentEvent[]) =>
  events.reduce(
    (state, event, at) => evolveAdjustment(state, event, { position: BigInt(at + 10) }),
    noAdjustment,
  );
const requested: AdjustmentEvent = { type: 'AdjustmentRequested', data: request };

test('a request claims its id, and makes its entry due from its log position', () => {
  expect(requestAdjustment(noAdjustment, request)).toEqual({ events: [requested] });
  expect(after(requested)).toMatchObject({
    dueSince: 10n,
    revision: 0,
    request,
  });
});

test('a repeated request adds no event', () => {
  expect(requestAdjustment(after(requested), request)).toEqual({ events: [] });
});

test.each([{ currency: 'USD' }, { amount: '-10.01' }, { reason: 'another' }])(
  'a request with a used id and another body is rejected: %j',
  (change) => {
    expect(requestAdjustment(after(requested), { ...request, ...change })).toEqual({
      refusal: 'adjustment_conflict',
    });
  },
);

test('the revision of the posted entry is recorded once', () => {
  const posted: AdjustmentEvent = { type: 'AdjustmentPosted', data: { revision: 4 } };
  expect(notePosted(after(requested), 4)).toEqual({ events: [posted] });
  expect(after(requested, posted)).toMatchObject({ entryRevision: 4, dueSince: 10n });
  expect(notePosted(after(requested, posted), 4)).toEqual({ events: [] });
  expect(notePosted(noAdjustment, 4)).toEqual({ events: [] });
});

test('a stream that does not begin with a request is rejected', () => {
  expect(() => after({ type: 'AdjustmentPosted', data: { revision: 0 } })).toThrow(
    'begins with its request',
  );
});
