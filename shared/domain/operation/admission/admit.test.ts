import { describe, it } from 'vitest';
import { whySkip } from '../../routing.ts';
import { admitted, create, given, noMoney, route, started } from '../testing/given.ts';
import { admit } from './admit.ts';

const two = [route(), route({ provider: 'other', priority: 2 })];

describe('admission', () => {
  it('claims the key and starts the first attempt on the best route (R17.3)', () => {
    given()
      .when(admit, create({ routes: two.toReversed() }))
      .thenEvents(admitted(), started(1));
  });

  it('declines at once when no route fits the amount', () => {
    given()
      .when(admit, create({ routes: [route({ min_amount: '100.01' })] }))
      .thenEvents(admitted(), {
        type: 'OperationDeclined',
        data: { ...noMoney, reason: 'no_route' },
      });
  });

  it('skips an unavailable route with its reason, and starts on the next (R7.13)', () => {
    const skip = whySkip({ off: new Set(['sandbox']) });
    given()
      .when(admit, create({ routes: two, skip }))
      .thenEvents(
        admitted(),
        {
          type: 'RoutesSkipped',
          data: { routes: [{ provider: 'sandbox', priority: 1, reason: 'provider_off' }] },
        },
        started(1, two[1]),
      );
  });

  it('declines at once when every matching route is skipped', () => {
    const skip = whySkip({ off: new Set(['sandbox', 'other']) });
    const routes = ['sandbox', 'other'].map((provider, index) => ({
      provider,
      priority: index + 1,
      reason: 'provider_off' as const,
    }));
    given()
      .when(admit, create({ routes: two, skip }))
      .thenEvents(
        admitted(),
        { type: 'RoutesSkipped', data: { routes } },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'routes_skipped' } },
      );
  });

  it('decides nothing if only routes with unknown usage are left (R7.17)', () => {
    const unknown = () => 'limit_unknown' as const;
    const skip = whySkip({ off: new Set(['sandbox']), limit: unknown });
    given()
      .when(admit, create({ routes: two, skip }))
      .thenRefused('limit_unknown');
  });

  it('declines as full if a route was skipped for its daily limit (R7.17)', () => {
    const full = (each: { provider: string }) =>
      each.provider === 'other' ? 'route_full' : undefined;
    const skip = whySkip({ off: new Set(['sandbox']), limit: full });
    given()
      .when(admit, create({ routes: two, skip }))
      .thenEvents(
        admitted(),
        {
          type: 'RoutesSkipped',
          data: {
            routes: [
              { provider: 'sandbox', priority: 1, reason: 'provider_off' },
              { provider: 'other', priority: 2, reason: 'route_full' },
            ],
          },
        },
        { type: 'OperationDeclined', data: { ...noMoney, reason: 'routes_full' } },
      );
  });

  it('recognises a repeat by its body and type', () => {
    const history = given(admitted(), started());
    history.when(admit, create()).thenRefused('already_admitted');
    history
      .when(admit, create({ body: { rest: 'other', whole: 'other' } }))
      .thenRefused('idempotency_body_mismatch');
    history.when(admit, create({ type: 'payout' })).thenRefused('idempotency_body_mismatch');
  });
});
