import type { CallBounds } from '#shared/application/providers/connector.ts';
import { parseSingleRecord, type BankClient, type NoBankAnswer } from './client.ts';
import { referenceIn } from './reference.ts';
import { bankPageSchema, bankPaths, bankTransferSchema, type BankTransfer } from './wire.ts';

const pageTimeoutMs = 5_000;
const maxDays = 16;
/** A day that was not requested for this long is dropped. */
const unusedMs = 3_600_000;
const dayMs = 86_400_000;

type DayListing = {
  /** Incoming transfers by the reference in their purpose. */
  incoming(reference: string): readonly BankTransfer[];
  outgoing(purpose: string): readonly BankTransfer[];
};

type Day = DayListing & {
  add(transfers: readonly BankTransfer[]): void;
  /** Full pages that were read: only the state of their transfers may change. */
  fullPages: number;
  usedMs: number;
  /** When the newest completed listing began. */
  asOfMs: number;
  loading?: Promise<NoBankAnswer | undefined>;
};

export type Listings = {
  /** All transfers that entered on a day, as of a time or later. */
  of(
    day: string,
    bounds: CallBounds & { sinceMs: number },
  ): Promise<{ ok: true; listing: DayListing } | NoBankAnswer>;
};

/**
 * The transfers of a day, a page at a time. Concurrent requests share one listing, and a page that
 * was full is not read again. Pages are read on demand only. A day that has been over for longer
 * than clocks differ is not read again.
 */
export function createListings(
  client: BankClient,
  { clockSkewMs, now }: { clockSkewMs: number; now: () => number },
): Listings {
  const days = new Map<string, Day>();

  const findOrAddDay = (day: string): Day => {
    const entry = days.get(day) ?? newDay();
    // The least recently used one is the first.
    days.delete(day);
    days.set(day, entry);
    entry.usedMs = now();
    for (const [each, { usedMs }] of days)
      if (days.size > maxDays || usedMs < now() - unusedMs) days.delete(each);
    return entry;
  };

  async function load(day: string, entry: Day): Promise<NoBankAnswer | undefined> {
    const beganMs = now();
    for (let page = entry.fullPages + 1; ; page += 1) {
      const path = bankPaths.listing({ account: client.account, day, page });
      const answer = await client.get(path, { timeoutMs: pageTimeoutMs });
      if (!answer.ok) return answer;
      const read = readPage(answer.records, { account: client.account, day, page });
      if (!read) return client.refuse('not the requested page');
      entry.add(read.transfers);
      if (!read.more) break;
      entry.fullPages = page;
    }
    entry.asOfMs = beganMs;
    return undefined;
  }

  return {
    async of(day, { sinceMs, ...bounds }) {
      const listing = findOrAddDay(day);
      const endMs = Date.parse(day) + dayMs;
      const deadlineMs = now() + bounds.timeoutMs;
      while (listing.asOfMs < Math.min(sinceMs, endMs + clockSkewMs)) {
        listing.loading ??= load(day, listing).finally(() => delete listing.loading);
        const failed = await within(listing.loading, { ...bounds, timeoutMs: deadlineMs - now() });
        if (failed) return failed;
      }
      return { ok: true, listing };
    },
  };
}

function newDay(): Day {
  const incoming = new Map<string, Map<string, BankTransfer>>();
  const outgoing = new Map<string, Map<string, BankTransfer>>();
  return {
    fullPages: 0,
    usedMs: -Infinity,
    asOfMs: -Infinity,
    incoming: (reference) => [...(incoming.get(reference)?.values() ?? [])],
    outgoing: (purpose) => [...(outgoing.get(purpose)?.values() ?? [])],
    add: (transfers) => {
      for (const each of transfers) {
        // Requested together with the transfer that it returns.
        if (each.returns !== undefined) continue;
        const [kind, name] =
          each.direction === 'in'
            ? [incoming, referenceIn(each.purpose)]
            : [outgoing, each.purpose];
        if (name === undefined) continue;
        // Two lines with one id are one transfer.
        const same = kind.get(name) ?? new Map<string, BankTransfer>();
        kind.set(name, same.set(each.transfer, each));
      }
    },
  };
}

function readPage(
  [head, ...lines]: readonly object[],
  expected: { account: string; day: string; page: number },
): { transfers: BankTransfer[]; more: boolean } | undefined {
  const page = bankPageSchema.safeParse(head).data;
  const transfers = lines.flatMap(
    (line) => parseSingleRecord(bankTransferSchema, line as Record<string, string>) ?? [],
  );
  const right =
    page?.account === expected.account &&
    page.day === expected.day &&
    page.page === expected.page &&
    page.lines === lines.length &&
    // A page without lines has no next one: it would be read on forever.
    (page.more === 'no' || lines.length > 0) &&
    transfers.length === lines.length &&
    transfers.every(({ account }) => account === expected.account);
  return right ? { transfers, more: page.more === 'yes' } : undefined;
}

/** Waits for a shared load up to the caller's own bounds. */
async function within(
  loading: Promise<NoBankAnswer | undefined>,
  { timeoutMs, signal }: CallBounds,
): Promise<NoBankAnswer | undefined> {
  const over = Promise.withResolvers<NoBankAnswer>();
  const timer = setTimeout(
    () => over.resolve({ ok: false, cause: 'timeout' }),
    Math.max(0, timeoutMs),
  );
  const stop = () => over.resolve({ ok: false, cause: 'error' });
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await Promise.race([loading, over.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
