import { connect } from 'nats';
import { setTimeout as delay } from 'node:timers/promises';
import { inject, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { newId } from '#shared/platform/ids.ts';
import { natsConnectionOptions } from './connection-options.ts';
import { createSharedLimiter, type SharedLimiter } from './shared-limiter.ts';

const subject = 'gateway.rate-limits';

function instance(natsUrl: string): SharedLimiter {
  const limiter = createSharedLimiter({ natsUrl, logger, subject });
  onTestFinished(() => limiter.stop());
  return limiter;
}

/** Refills too slowly to matter during a test. */
const limit = { per_second: 0.01, burst: 10 };
const polling = { intervalMs: 20 };

it('deducts from each instance’s bucket what another one allows (R1.8)', async () => {
  const [first, second] = [instance(inject('natsUrl')), instance(inject('natsUrl'))];
  const key = newId();
  // Messages published before both instances have subscribed are lost.
  const isConnected = async () => {
    const probe = newId();
    first.take(probe, limit);
    await delay(250);
    return second.take(probe, limit).remaining < 9;
  };
  await eventually('the instances receive each other’s messages', isConnected, polling);
  for (let request = 0; request < 10; request += 1)
    expect(first.take(key, limit).allowed).toBe(true);
  expect(first.take(key, limit).allowed).toBe(false);
  // The other allows one at most before it has received the messages.
  await eventually('the other refuses', () => !second.take(key, limit).allowed, polling);
  expect(second.take(newId(), limit)).toMatchObject({ allowed: true, remaining: 9 });

  // Extra cost is deducted there too.
  const expensive = newId();
  first.take(expensive, limit);
  first.spend(expensive, limit, 20);
  await eventually('the other refuses', () => !second.take(expensive, limit).allowed, polling);

  // A debt of more than a burst remains there when one more is allowed, until it is refunded.
  const [large, after] = [newId(), newId()];
  first.take(large, limit, 100);
  await eventually('the other is in debt', () => !second.allows(large, limit), polling);
  for (const each of [large, after]) first.spend(each, limit, 10);
  await eventually('the other has received it', () => !second.allows(after, limit), polling);
  // Some 90, at one in 100 s.
  expect(second.take(large, limit).nextInMs).toBeGreaterThan(5_000_000);
  first.refund(large, limit, 100);
  await eventually('the other allows', () => second.allows(large, limit), polling);
});

it('counts locally if NATS is unavailable, and ignores malformed messages', async () => {
  const disconnected = instance('nats://127.0.0.1:1');
  expect(disconnected.take('a', limit)).toMatchObject({ allowed: true, remaining: 9 });
  const connected = instance(inject('natsUrl'));
  const nats = await connect(natsConnectionOptions(inject('natsUrl')));
  for (const text of ['', 'x', '{"from":"z"}', '{"from":"z","taken":[["a",5,1,-1]]}'])
    nats.publish(subject, text);
  await nats.close();
  expect(connected.take('a', limit)).toMatchObject({ allowed: true, remaining: 9 });
});

it('stops at any time, even while it connects', async () => {
  for (const turns of [0, 1, 2, 5, 10, 20, 50]) {
    const limiter = createSharedLimiter({ natsUrl: inject('natsUrl'), logger, subject });
    for (let turn = 0; turn < turns; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    await expect(limiter.stop()).resolves.toBeUndefined();
  }
});
