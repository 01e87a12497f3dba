import type { MiddlewareHandler } from 'hono';

const perTurn = Number(process.env['X_TURN'] ?? 32);
const creates = new Set(['/v1/payment', '/v1/payment/link', '/v1/payout']);

/**
 * Starts a few requests at each turn of the event loop, creates after all others. Otherwise a turn
 * starts all requests that have arrived; it becomes long, and whatever is in progress advances by
 * one step a turn.
 */
export function paceIntake(): MiddlewareHandler {
  const waiting: { others: (() => void)[]; creates: (() => void)[] } = { others: [], creates: [] };
  let left = perTurn;
  let scheduled = false;
  const startNext = () => {
    const start = waiting.others.shift() ?? waiting.creates.shift();
    start?.();
    return start !== undefined;
  };
  const nextTurn = () => {
    scheduled = false;
    left = perTurn;
    while (left > 0 && startNext()) left -= 1;
    if (left < perTurn) schedule();
  };
  const schedule = () => {
    if (!scheduled) setImmediate(nextTurn);
    scheduled = true;
  };
  return async (c, next) => {
    schedule();
    if (left > 0) left -= 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting[creates.has(c.req.path) ? 'creates' : 'others'].push(resolve);
      await promise;
    }
    await next();
  };
}
