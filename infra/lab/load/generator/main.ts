import { createLoadClient, type LoadClient, type LoadRequest } from '../http-client.ts';
import { createRandom, type Random } from '#infra/verify/harness/tests/random.ts';
import { serveOrders } from '#infra/verify/harness/processes/helper-process.ts';
import { drawArrival, pauseMs, thinkMs } from './arrivals.ts';
import { arrivalsPerRequest, type LoadArrival, type LoadKind, type MixName } from './kinds.ts';
import {
  emptyByKind,
  type GeneratorOrder,
  type GeneratorTaken,
  type LoadShop,
} from './messages.ts';
import {
  balancesRequest,
  cancelRequest,
  confirmRequest,
  paymentRequest,
  payoutRequest,
  readRequest,
} from './requests.ts';

// A separate process, so that requests are sent on time, whatever the run has to do meanwhile.

const connections = 256;
/** Requests that arrive while this many are in flight are not sent, and count as failed. */
const maxInFlight = 4_000;
const confirmAfterMs = 2_000;
const cancelAfterMs = 700;
/** Reads choose among this many of the newest operations. */
const remembered = 2_000;

type KnownOperation = {
  readonly shop: LoadShop;
  readonly key: string;
  readonly operationId: string;
};

let client: LoadClient | undefined;
let shops: readonly LoadShop[] = [];
/**
 * Arrivals and follow-ups have separate random generators, so that the arrivals don't depend on
 * answers.
 */
let arriving: Random = createRandom(0);
let following: Random = createRandom(1);
let runId = '';
let mix: MixName = 'whole';
let perSecond = 0;
let nextAtMs = 0;
let count = 0;
let inFlight = 0;

const known: KnownOperation[] = [];
let seen = emptyByKind();
let lateness: number[] = [];
let codes: Record<string, number> = {};
let created: string[] = [];

/** Sends a due request. @returns the answer's text, if it was 200 */
async function send(
  kind: LoadKind,
  dueAtMs: number,
  request: LoadRequest,
): Promise<string | undefined> {
  seen[kind].due += 1;
  if (client === undefined || inFlight >= maxInFlight) {
    seen[kind].failed += 1;
    note(`${kind} not sent`);
    return undefined;
  }
  lateness.push(performance.now() - dueAtMs);
  inFlight += 1;
  try {
    const { status, body } = await client.send(request);
    if (status >= 400) note(`${kind} ${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`.trim());
    if (status >= 500 || status === 429) seen[kind].failed += 1;
    else {
      seen[kind].answered += 1;
      seen[kind].latencies.push(performance.now() - dueAtMs);
    }
    return status === 200 ? body : undefined;
  } catch (error) {
    seen[kind].failed += 1;
    note(`${kind} ${(error as NodeJS.ErrnoException).code ?? 'no answer'}`);
    return undefined;
  } finally {
    inFlight -= 1;
  }
}

function note(what: string): void {
  codes[what] = (codes[what] ?? 0) + 1;
}

/** Schedules the follow-ups of an answer. */
function later(meanMs: number, act: (dueAtMs: number) => Promise<unknown>): void {
  const dueAtMs = performance.now() + thinkMs(following, meanMs);
  setTimeout(() => void act(dueAtMs), dueAtMs - performance.now());
}

async function arrive(arrival: LoadArrival, dueAtMs: number): Promise<void> {
  // Shops have different shares: the first of eight has a third of all.
  const shop = shops[Math.floor(shops.length * arriving.next() ** 2)];
  if (shop === undefined) return;
  if (arrival === 'balances') return void (await send('balances', dueAtMs, balancesRequest(shop)));
  if (arrival === 'read') {
    const one = known[arriving.below(known.length)];
    const byKey = arriving.chance(0.5);
    if (one === undefined) return void (await send('balances', dueAtMs, balancesRequest(shop)));
    const reference = byKey
      ? { merchant_operation_id: one.key }
      : { operation_id: one.operationId };
    return void (await send('read', dueAtMs, readRequest(one.shop, reference)));
  }
  count += 1;
  const number = count;
  const key = `${runId}-${number}`;
  const operation = { shop, key, random: arriving };
  const kind: LoadKind = arrival === 'payout' ? 'payout' : 'payment';
  const request =
    arrival === 'payout'
      ? payoutRequest(operation)
      : paymentRequest(operation, arrival === 'payment_with_receipt');
  const answer = await send(kind, dueAtMs, request);
  const operationId = /"operation_id":"([^"]+)"/.exec(answer ?? '')?.[1];
  if (operationId === undefined) return;
  created.push(operationId);
  known[number % remembered] = { shop, key, operationId };
  if (arrival === 'payment_with_receipt')
    later(confirmAfterMs, (at) => send('confirm', at, confirmRequest(shop, operationId)));
  if (arrival === 'payment_cancelled')
    later(cancelAfterMs, (at) => send('cancel', at, cancelRequest(shop, operationId)));
}

const arrivalsPerSecond = () => perSecond * arrivalsPerRequest[mix];

/** Sends all due requests, and checks again in a millisecond. */
function tick(): void {
  if (perSecond > 0) {
    for (const nowMs = performance.now(); nextAtMs <= nowMs;) {
      void arrive(drawArrival(arriving, mix), nextAtMs);
      nextAtMs += pauseMs(arriving, arrivalsPerSecond());
    }
  }
  setTimeout(tick, 1);
}

function take(): GeneratorTaken {
  const taken = { kinds: seen, codes, inFlight, lateness, created };
  seen = emptyByKind();
  [codes, lateness, created] = [{}, [], []];
  return taken;
}

serveOrders((order: GeneratorOrder) => {
  if (order.order === 'take') return take();
  if (order.order === 'rate') {
    perSecond = order.perSecond;
    nextAtMs = performance.now() + (perSecond > 0 ? pauseMs(arriving, arrivalsPerSecond()) : 0);
    return {};
  }
  client = createLoadClient(order.gateway, connections);
  ({ shops, mix } = order);
  [arriving, following] = [createRandom(order.seed), createRandom(order.seed + 1)];
  runId = `run-${order.seed}`;
  tick();
  return {};
});
