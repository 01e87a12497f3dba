import { connect } from 'nats';
import { inject, expect, it, onTestFinished } from 'vitest';
import { waitUntil } from '#infra/process/wait-until.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import { newId } from '#shared/platform/ids.ts';
import { natsConnectionOptions } from './connection-options.ts';
import { createSharedLimiter, type SharedLimiter } from './shared-limiter.ts';

const subject = 'gateway.rate-limits';
const logger = createLogger('test', 'silent');

function instance(natsUrl: string): SharedLimiter {
  const limiter = createSharedLimiter({ natsUrl, logger, subject });
  onTestFinished(() => limiter.stop());
  return limiter;
}

/** Slow to fill: what a bucket has does not change while a test looks. */
const limit = { per_second: 0.01, burst: 10 };
const soon = { timeoutMs: 20_000, intervalMs: 20 };

it('takes from every instance’s bucket what one of them allows (R1.8)', async () => {
  const [first, second] = [instance(inject('natsUrl')), instance(inject('natsUrl'))];
  const key = newId();
  // Until the two hear each other: what is said before that is lost, and the limit each instance's
  // own.
  const heard = async () => {
    const probe = newId();
    first.take(probe, limit);
    await new Promise((resolve) => setTimeout(resolve, 250));
    return second.take(probe, limit).remaining < 9;
  };
  await waitUntil('the instances hear each other', heard, soon);
  for (let request = 0; request < 10; request += 1)
    expect(first.take(key, limit).allowed).toBe(true);
  expect(first.take(key, limit).allowed).toBe(false);
  // One at most is allowed there before it has heard of the ten.
  await waitUntil('the other refuses', () => !second.take(key, limit).allowed, soon);
  expect(second.take(newId(), limit)).toMatchObject({ allowed: true, remaining: 9 });

  // What costs more at one costs more at the other.
  const dear = newId();
  first.take(dear, limit);
  first.spend(dear, limit, 20);
  await waitUntil('the other refuses', () => !second.take(dear, limit).allowed, soon);
});

it('counts for itself where NATS is unavailable, and hears nothing that is no message', async () => {
  const alone = instance('nats://127.0.0.1:1');
  expect(alone.take('a', limit)).toMatchObject({ allowed: true, remaining: 9 });
  const hearing = instance(inject('natsUrl'));
  const nats = await connect(natsConnectionOptions(inject('natsUrl')));
  for (const text of ['', 'x', '{"from":"z"}', '{"from":"z","taken":[["a",-5,1,1]]}'])
    nats.publish(subject, text);
  await nats.close();
  expect(hearing.take('a', limit)).toMatchObject({ allowed: true, remaining: 9 });
});

it('can be stopped at any time, also while it is just connecting', async () => {
  for (const turns of [0, 1, 2, 5, 10, 20, 50]) {
    const limiter = createSharedLimiter({ natsUrl: inject('natsUrl'), logger, subject });
    for (let turn = 0; turn < turns; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    await expect(limiter.stop()).resolves.toBeUndefined();
  }
});
