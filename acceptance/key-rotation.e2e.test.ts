import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { admin, target } from './support/http.ts';
import { openTestShop } from './support/shop.ts';
import { until } from './support/until.ts';

type TimedResponse = { startedAt: number; answeredAt: number; status: number };

const everyMs = 5;
const instances = [0, 1] as const;

/** Calls one instance with a key in a loop until it is stopped. */
function callRepeatedly(apiKey: string, at: 0 | 1) {
  const answers: TimedResponse[] = [];
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      const startedAt = performance.now();
      const response = await fetch(`${target.gateways[at]}/v1/balances`, {
        headers: { 'x-api-key': apiKey },
      });
      await response.arrayBuffer();
      answers.push({ startedAt, answeredAt: performance.now(), status: response.status });
      await delay(everyMs);
    }
  })();
  return {
    answers,
    more: (count: number) => {
      const expectedCount = answers.length + count;
      return until('more answers', () => answers.length, {
        holds: (length) => length >= expectedCount,
      });
    },
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

it('R1.6: a key is valid at once on every instance, and on none once it is revoked', async () => {
  const shop = await openTestShop();
  const path = `/shops/${shop.shopId}/api-keys`;
  for (let round = 0; round < 3; round += 1) {
    const issued = await admin('POST', path, { label: `round ${round}` });
    expect(issued.status).toBe(201);
    const { key_id: keyId, api_key: apiKey } = issued.body as { key_id: string; api_key: string };
    const loops = instances.map((at) => callRepeatedly(apiKey, at));
    const others = instances.map((at) => callRepeatedly(shop.apiKey, at));
    const all = [...loops, ...others];
    await Promise.all(all.map((loop) => loop.more(5)));

    const revokingAt = performance.now();
    expect((await admin('DELETE', `/api-keys/${keyId}`)).status).toBe(204);
    const revokedAt = performance.now();
    await Promise.all(all.map((loop) => loop.more(5)));
    await Promise.all(all.map((loop) => loop.stop()));

    for (const { answers } of loops) {
      const before = answers.filter(({ answeredAt }) => answeredAt < revokingAt);
      const after = answers.filter(({ startedAt }) => startedAt >= revokedAt);
      expect(before.length).toBeGreaterThan(0);
      expect(after.length).toBeGreaterThan(0);
      expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]));
      // Once rejected, always rejected.
      const statuses = answers.map(({ status }) => status);
      expect(statuses.lastIndexOf(200)).toBeLessThan(statuses.indexOf(401));
    }
    // The shop's other key is not affected.
    for (const { answers } of others)
      expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
});
