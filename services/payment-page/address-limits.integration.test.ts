import { inject, expect, it, onTestFinished } from 'vitest';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { eventually } from '#infra/verify/harness/tests/eventually.ts';
import { newId } from '#shared/platform/ids.ts';
import { createSharedLimiter } from '#shared/platform/nats/shared-limiter.ts';
import { createAddressLimits } from './address-limits.ts';
import { createTestPage } from './testing/payments.ts';

/** Starts an instance of the page without payments. @returns its status for a client's address */
function instance() {
  const limiter = createSharedLimiter({
    natsUrl: inject('natsUrl'),
    logger,
    subject: `test.${subject}`,
  });
  onTestFinished(() => limiter.stop());
  const { send } = createTestPage({}, { limits: createAddressLimits(limiter), trustedProxies: 1 });
  return async (address: string) =>
    (await send(`/${newId()}`, { headers: { 'x-forwarded-for': address } })).status;
}
const subject = newId();

it('limits an address that guesses IDs at all instances (R15.6)', async () => {
  const [first, second] = [instance(), instance()];
  let address = '';
  let guesses = 0;
  // Counts sent before the instances have subscribed are lost, so more addresses are tried. Eleven
  // guesses exceed the limit of an address; the nine at the second instance do not.
  const isRefused = async () => {
    if (guesses % 9 === 0) {
      address = `192.0.2.${guesses / 9 + 1}`;
      for (let guess = 0; guess < 11; guess += 1) await first(address);
    }
    guesses += 1;
    return (await second(address)) === 429;
  };
  await eventually('the other instance refuses', isRefused, { intervalMs: 50 });
  // No other address is limited there.
  expect(await second('198.51.100.1')).toBe(404);
});
