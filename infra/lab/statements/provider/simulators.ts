import { join } from 'node:path';
import type { Servers } from '#infra/lab/targets/servers.ts';
import { openBankStore } from '#examples/bank/simulator/store.ts';
import { initialBalance, digestOf } from '#examples/bank/simulator/context.ts';
import { seqOf } from '#examples/bank/simulator/transfer.ts';
import { openMemory } from '#services/sandbox-provider/store/memory.ts';
import { purposeOf } from '#examples/bank/connector/reference.ts';
import { defaultAccount } from '#shared/domain/statements/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { accounts, isAtBank } from '../accounts.ts';
import { iso } from '../log/life.ts';
import { dayMs } from '../log/lives.ts';
import { dayOf, type Plan, type PlannedLine } from '../plan/planned.ts';

/** What opens the accounts, for nobody but this run. */
export const keys = {
  sandbox: 'statements-test-key-default',
  east: 'statements-test-key-east',
  callbackSecret: 'whsec_c3RhdGVtZW50cy1zdGF0ZW1lbnRzLXN0YXRlbWVudHM=',
  bankAccount: '40702810500000000001',
  bank: 'statements-bank-key-0001',
} as const;

/** Nobody listens there. */
const nowhere = 'http://127.0.0.1:9/callbacks/sandbox';

type Told = Pick<Plan, 'lines'> & { startMs: number; transfers: number };

/** Gives the simulated providers the memory of the day, before they start. */
export function fillMemory(dataDir: string, told: Told): void {
  const folder = join(dataDir, 'sandbox-provider');
  fillSandbox(folder, told);
  fillBank(folder, told);
}

function fillSandbox(folder: string, { lines }: Told): void {
  const memory = openMemory(folder);
  const url = `${nowhere}/east`;
  memory.accounts.put({
    account: 'east',
    apiKeys: [keys.east],
    callbackSecret: keys.callbackSecret,
    callbackUrl: url,
  });
  memory.transaction(() => {
    for (const each of accounts) {
      const { provider, account } = each;
      if (provider !== 'sandbox') continue;
      const own = lines.get(each) ?? [];
      const whose = account === defaultAccount ? undefined : account;
      const movements = own.flatMap((line) => {
        const movement = { account: whose, currency: line.currency, line: wireLine(line) };
        return line.twice ? [movement, movement] : [movement];
      });
      memory.movements.put(`the day of ${account}`, movements);
    }
  });
  memory.close();
}

const wireLine = ({ kind, direction, legId, ofLegId, of, minor, atMs }: PlannedLine) => ({
  kind,
  direction,
  leg_id: legId,
  ...(ofLegId !== undefined && { of_leg_id: ofLegId }),
  ...(of && { operation_id: of.operationId, attempt: of.attempt }),
  amount: fromMinor(BigInt(minor)),
  completed_at: iso(atMs),
});

function fillBank(folder: string, { lines, startMs, transfers }: Told): void {
  const store = openBankStore(folder);
  const account = keys.bankAccount;
  const day = dayOf(startMs);
  const own = lines.get(accounts.find(isAtBank) ?? accounts[0]) ?? [];
  const byTransfer = new Map(own.map((line) => [seqOf(line.legId), line]));
  store.transaction(() => {
    store.accounts.put({
      account,
      holder: 'test',
      keySha256: digestOf(keys.bank),
      initial: initialBalance,
    });
    // Its numbers are those of its memory: what has no line waits there for ever.
    for (let seq = 1; seq <= transfers; seq += 1)
      store.transfers.add({
        account,
        party: 'somebody',
        ...transferOf(byTransfer.get(seq), startMs),
      });
    for (const line of own) {
      const { kind, legId, direction, minor } = line;
      const where = { account, day };
      if (line.twice) store.differences.plant({ ...where, kind: 'duplicate', transfer: legId });
      if (kind === 'fee' || kind === 'settlement' || kind === 'other') {
        const extra = {
          kind: 'extra',
          direction,
          amount: minor,
          purpose: '',
          category: kind,
        } as const;
        store.differences.plant({ ...where, ...extra });
      }
    }
  });
  store.close();
}

function transferOf(line: PlannedLine | undefined, startMs: number) {
  if (!line)
    return { direction: 'in', amount: 1n, purpose: '', entersMs: startMs - dayMs } as const;
  const { direction, minor, of, ofLegId, atMs } = line;
  return {
    direction,
    amount: BigInt(minor),
    purpose: of ? purposeOf(of) : 'thank you',
    entersMs: atMs,
    booksMs: atMs,
    ...(ofLegId !== undefined && { returns: seqOf(ofLegId) }),
  };
}

/** The providers' own service, on what it remembers; one statement of it closes wrong. */
export async function startProviders(servers: Servers, dataDir: string, day: string) {
  const server = await servers.start('services/sandbox-provider/main.ts', {
    port: 'SANDBOX_PORT',
    env: {
      DATA_DIR: dataDir,
      DEMO: '0',
      SANDBOX_API_KEY: keys.sandbox,
      SANDBOX_CALLBACK_SECRET: keys.callbackSecret,
      SANDBOX_CALLBACK_URL: nowhere,
      BANK_ACCOUNT: keys.bankAccount,
      BANK_KEY: keys.bank,
    },
  });
  const closes = { kind: 'closing', by: '1.00', account: defaultAccount, currency: 'RUB', day };
  const planted = await fetch(`${server.url}/control/statements/differences`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(closes),
  });
  if (!planted.ok) throw new Error(`the sandbox took no difference: ${planted.status}`);
  return server;
}
