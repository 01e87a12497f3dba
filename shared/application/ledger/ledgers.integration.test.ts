import { describe, expect, it } from 'vitest';
import { storeForFile, useProxiedStore } from '#infra/verify/harness/stores/store.ts';
import type { LedgerCommand } from '#shared/domain/ledger/commands.ts';
import { ledgerStream, type Entry } from '#shared/domain/ledger/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { moved, noEntry, positionAfter, violationsAfter } from '#shared/domain/ledger/position.ts';
import { keyOfEntry } from '#shared/domain/ledger/reference.ts';
import { newId } from '#shared/platform/ids.ts';
import { createLedgers } from './ledgers.ts';
import { decodeEntry } from './memory.ts';
import type { Ledgers, PostRequest, PostResult } from './types.ts';

// The client of the store keeps one map of appends for the whole process: one connection for both
// owners.
const store = storeForFile();

const origin = { actor: 'service:test', correlationId: 'test' };
const pageSize = 5_000;

async function entriesOf(shopId: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let full = true; full;) {
    const page = await store.read(ledgerStream(shopId, 'RUB'), {
      fromRevision: entries.length,
      maxCount: pageSize,
    });
    entries.push(...page.map(decodeEntry));
    full = page.length === pageSize;
  }
  return entries;
}

/** The balances after all entries; each entry must follow from the one before. */
function fold(entries: readonly Entry[]) {
  let position = noEntry;
  for (const [revision, entry] of entries.entries()) {
    expect(violationsAfter(position, entry)).toEqual([]);
    position = positionAfter(entry, revision);
  }
  expect(new Set(entries.map(keyOfEntry)).size).toBe(entries.length);
  return { balance: fromMinor(position.balance), reserved: fromMinor(position.reserved) };
}

/**
 * Makes payouts one after the other, each reserved and then captured or released, until there are
 * enough.
 */
async function poster(
  post: (command: LedgerCommand) => Promise<PostResult>,
  { enough, onCaptured }: { enough: () => boolean; onCaptured: () => void },
) {
  const results: PostResult[] = [];
  for (let round = 0; !enough(); round += 1) {
    const payout = { operationId: newId(), reservation: 1 };
    results.push(await post({ kind: 'reserve', ...payout, amount: '10.25' }));
    if (round % 3 === 0)
      results.push(await post({ kind: 'release', ...payout, reserved: '10.25' }));
    else {
      const charge = { reserved: '10.25', recorded: '10.00', commission: '0.25' };
      results.push(await post({ kind: 'capture', ...payout, ...charge }));
      onCaptured();
    }
  }
  expect(results.filter((result) => result.outcome !== 'posted' || result.repeated)).toEqual([]);
}

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
const charged = (captured: number) => fromMinor(-1_025n * BigInt(captured));

describe('a ledger under contention', () => {
  it('stays consistent with two owners and 16 concurrent callers each', async () => {
    const shopId = newId();
    const dueSince = await store.head();
    const owners = [createLedgers({ store }), createLedgers({ store })];
    // Runs until both have captured enough: neither owner starves the other.
    const shares = [0, 0];
    const enough = () => Math.min(...shares) >= 200;
    await Promise.all(
      owners.flatMap((ledgers, owner) =>
        Array.from({ length: 16 }, () =>
          poster(
            (command) => ledgers.post({ ...command, shopId, currency: 'RUB', dueSince, origin }),
            { enough, onCaptured: () => void (shares[owner] = (shares[owner] ?? 0) + 1) },
          ),
        ),
      ),
    );
    const entries = await entriesOf(shopId);
    expect(fold(entries)).toEqual({ balance: charged(total(shares)), reserved: '0.00' });
    expect(await owners[0]?.position(shopId, 'RUB')).toMatchObject({
      outcome: 'consistent',
      balance: charged(total(shares)),
      currentMinus: charged(-total(shares)),
      reserved: '0.00',
      revision: entries.length - 1,
    });
    await Promise.all(owners.map((ledgers) => ledgers.stop()));
  });

  it('stays consistent across repeated connection losses', async () => {
    const shopId = newId();
    const dueSince = await store.head();
    const { proxy, store: behindProxy } = await useProxiedStore();
    const owners = [createLedgers({ store: behindProxy }), createLedgers({ store: behindProxy })];
    const names = Array.from({ length: 400 }, (_, each) => `payment-${each}`);
    const credit = (
      ledgers: Ledgers | undefined,
      operationId: string,
    ): Promise<PostResult> | undefined =>
      ledgers?.post({
        kind: 'credit',
        operationId,
        recorded: '1.00',
        commission: '0.01',
        shopId,
        currency: 'RUB',
        dueSince,
        origin,
        deadlineMs: 10_000,
      } satisfies PostRequest);
    let [posted, attempts] = [0, 0];
    // Like the processor: through either owner, and retried until the outcome is known.
    const settle = async (operationId: string, first: number) => {
      for (let round = first; ; round += 1) {
        attempts += 1;
        const result = await credit(owners[round % 2], operationId);
        if (result?.outcome === 'posted') break;
      }
      posted += 1;
      // By progress, not by time: so a slow machine gets on between two losses, too.
      if (posted % 20 === 0) proxy.cut();
    };
    const worker = async (at: number) => {
      for (let each = at; each < names.length; each += 16) await settle(names[each] ?? '', at);
    };
    await Promise.all(Array.from({ length: 16 }, (_, at) => worker(at)));
    expect(attempts).toBeGreaterThan(names.length);
    const entries = await entriesOf(shopId);
    expect(entries).toHaveLength(names.length);
    expect(fold(entries)).toEqual({ balance: '396.00', reserved: '0.00' });
    expect(fromMinor(entries.reduce((sum, entry) => sum + moved(entry, 'commission'), 0n))).toBe(
      '4.00',
    );
    await Promise.all(owners.map((ledgers) => ledgers.stop()));
  });
});
