import { createBankApi } from '#examples/bank/simulator/api.ts';
import { behaviourSchema } from '#examples/bank/simulator/behaviour.ts';
import { createBank as createSandboxBank } from '#examples/bank/simulator/bank.ts';
import { createBankControl } from '#examples/bank/simulator/control.ts';
import { openBankStore, type BankStore } from '#examples/bank/simulator/store.ts';
import { createBankConnector } from '#examples/bank/connector/connector.ts';
import { referenceIn } from '#examples/bank/connector/reference.ts';
import { decodeRecords } from '#examples/bank/connector/wire.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import type { Random } from '#infra/verify/harness/tests/random.ts';
import type { Network, Instance } from '../../network.ts';
import type { MerchantResponse } from '../../checks/answers.ts';
import type { SimulatedOperation } from '../../people/merchant.ts';
import { arrivalMs } from '../simulated-provider.ts';
import { bankAttempts } from './attempts.ts';
import { carriedClient } from './carried-client.ts';
import { createBankPeople } from './people.ts';

const name = 'bank';
const account = '40702810500000000001';
const key = 'the-key-of-the-simulated-bank';
/** More than the wall clock is set by; the bank's own clock is correct. */
const clockSkewMs = 30_000;
/** A day becomes a minute. */
const listenMs = 60_000;
const logger = createLogger('simulation', 'silent');

/**
 * The sandbox's bank with its wire format and faults, and the gateway's own connector. Messages of
 * a connection arrive once, or the connection is lost: to the bank two orders are two.
 */
export function createSimulatedBank(random: Random) {
  const beganMs = Date.now() - performance.now();
  const now = () => Math.floor(beganMs + performance.now());
  const orders = new Map<string, Set<object>>();
  const paidFor = new Set<string>();
  let busy = 0;
  const later = (leastMs: number, mostMs: number, act: () => void) => {
    busy += 1;
    const fire = () => {
      act();
      busy -= 1;
    };
    setTimeout(fire, random.between(leastMs, mostMs));
  };
  const { transfers, ...others } = openBankStore();
  const add: BankStore['transfers']['add'] = (given) => {
    const transfer = transfers.add(given);
    people.entered(transfer);
    return transfer;
  };
  const store: BankStore = { ...others, transfers: { ...transfers, add } };
  const context = { store: () => store, now, random: () => random.next() };
  const control = createBankControl(context);
  const people = createBankPeople({ account, control, random, now, later });
  control.openAccount({ account, key, holder: 'ООО «УЧЕБНЫЙ ШЛЮЗ»' });
  control.behave(chooseBehaviour(random));
  const bank = createSandboxBank(context);
  const api = createBankApi(bank, { stopping: new AbortController().signal, logger });

  /** Counts each order that leaves a living process, whether or not it arrives. */
  const noteOrder = (body: RequestInit['body']) => {
    const [order] = (typeof body === 'string' && decodeRecords(Buffer.from(`${body}\n`))) || [];
    const purpose = order?.['purpose'];
    if (purpose !== undefined) orders.set(purpose, (orders.get(purpose) ?? new Set()).add({}));
  };
  const reach = (network: Network, from: Instance) => {
    const client = carriedClient(async (path, init) => {
      if (from.alive) noteOrder(init.body);
      const to = { name, hangs: true, session: true };
      return network.call(from, to, () => Promise.resolve(api.request(path, init)));
    });
    const url = 'http://bank.simulated';
    const reached = { url, account, key, logger, client };
    return createBankConnector({ ...reached, arrivalMs, clockSkewMs, listenMs }).connector;
  };

  return {
    name,
    reach,
    attempts: () =>
      bankAttempts({ transfers: transfers.all(account), orders, paidFor, nowMs: now() }),
    atRest: () => busy === 0,
    /** From now on it loses and delays nothing. */
    heal: () => control.behave(quiet),
    close: store.close,
    /** A payer may pay to the requisites in the response. */
    shown: ({ operationId, amount }: SimulatedOperation, { status, body }: MerchantResponse) => {
      const { transfer_purpose: purpose, expires_at: expiresAt } = body;
      const reference =
        status === 200 && typeof purpose === 'string' ? referenceIn(purpose) : undefined;
      if (reference === undefined || paidFor.has(operationId)) return;
      paidFor.add(operationId);
      people.invite({ reference, amount, expiresMs: Date.parse(String(expiresAt)) });
    },
  };
}

/** The bank's staff decides on orders. */
const quiet = behaviourSchema.parse({ book_ms: null, reject: 0.1, duplicate_lines: 0.1 });

/** In half of the schedules it loses and delays requests and answers. */
function chooseBehaviour(random: Random): typeof quiet {
  if (random.chance(0.5)) return quiet;
  return behaviourSchema.parse({
    ...quiet,
    slow_ms: random.pick([0, 200, 2_000]),
    lose_requests: random.pick([0.1, 0.3]),
    lose_replies: random.pick([0, 0.3]),
    late: random.pick([0.1, 0.4]),
    late_ms: Math.floor(random.between(500, 20_000)),
    lose_reads: random.pick([0, 0.1]),
  });
}
