import { setTimeout as delay } from 'node:timers/promises';
import { streamPrefixes } from '#services/processor/due/streams.ts';
import { isTerminalEventType, operationStream } from '#shared/domain/operation/events.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { SimulatedClock } from './clock.ts';
import { actAsMerchant, createSimulatedMerchant } from './people/merchant.ts';
import { fund, watch } from './people/operator.ts';
import type { SimulatedGateway } from './simulated-gateway.ts';

/**
 * The duration of faults; then everything must come to rest within the time that a merchant might
 * wait.
 */
const stormMs = 30_000;
const restWithinMs = 3 * 60_000;
const pollEveryMs = 500;
const longestJumpMs = 8_000;

/** How long after the last fault, and at how many events of the log. */
export type Rest = { afterMs: number; events: number };

/** Runs one schedule: faults, then quiet. @returns when it came to rest; undefined if it did not */
export async function play(
  gateway: SimulatedGateway,
  { random, clock }: { random: Random; clock: SimulatedClock },
): Promise<Rest | undefined> {
  const { network, cluster, shops, operations, log, bank } = gateway;
  let over = false;
  const merchants = operations.map((operation) =>
    createSimulatedMerchant({ cluster, shops, bank }, random, operation),
  );
  let acting = true;
  const acts = Promise.all([
    ...merchants.map((merchant) => actAsMerchant(merchant, random)),
    ...shops.map((shop) => fund({ cluster, random }, shop)),
    setClocks(gateway, { random, clock }),
  ]).then(() => (acting = false));
  const watching = watch({ ...gateway, random }, () => over);
  await delay(stormMs);
  network.heal();
  bank.heal();
  cluster.heal({ loseOne: random.chance(0.3) });
  const healedMs = clock.elapsedMs();
  const restedMs = await Promise.race([
    untilRest(
      gateway,
      () => acting,
      () => clock.elapsedMs() - healedMs,
    ),
    acts.then(() => new Promise<never>(() => undefined)),
  ]);
  const rest = restedMs === undefined ? undefined : { afterMs: restedMs, events: log.size() };
  over = true;
  await watching;
  // Long after, the answers are still the same.
  for (const merchant of merchants) {
    await merchant.create();
    await merchant.read();
  }
  return rest;
}

async function untilRest(
  gateway: SimulatedGateway,
  acting: () => boolean,
  elapsedMs: () => number,
): Promise<number | undefined> {
  while (elapsedMs() < restWithinMs) {
    if (!acting() && isAtRest(gateway)) return elapsedMs();
    await delay(pollEveryMs);
  }
  return undefined;
}

/** Nothing is due or planned, and the processors have read the whole log. */
function isAtRest({ log, due, providers, operations }: SimulatedGateway): boolean {
  if (!providers.every((provider) => provider.atRest())) return false;
  if (due.rows().length > 0 || due.position() < log.newestOf(streamPrefixes)) return false;
  return operations.every(({ operationId }) => {
    const types = log.read(operationStream(operationId)).map(({ type }) => type);
    // A cancel before its create keeps the key if the create is a payout's.
    const nothing = types.every((type) => type === 'OperationCancelledBeforeCreate');
    return nothing || types.some(isTerminalEventType);
  });
}

/** In some schedules the wall clock is set from time to time, forward or back. */
async function setClocks(
  { network }: SimulatedGateway,
  { random, clock }: { random: Random; clock: SimulatedClock },
): Promise<void> {
  if (!random.chance(0.25)) return;
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    await delay(random.between(0, stormMs / 3));
    if (network.healed()) return;
    network.note('clock set');
    clock.jump(random.between(-longestJumpMs, longestJumpMs));
  }
}
