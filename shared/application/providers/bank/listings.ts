import type { CallBounds } from '../connector.ts';
import { readRecord, type BankClient, type Unanswered } from './client.ts';
import { referenceIn } from './reference.ts';
import { bankPageSchema, bankPaths, bankTransferSchema, type BankTransfer } from './wire.ts';

const pageTimeoutMs = 5_000;
const maxDays = 16;
/** A day that nobody asked about for so long is forgotten. */
const unusedMs = 3_600_000;
const dayMs = 86_400_000;

type DayListing = {
  /** By the reference that their purpose names. */
  incoming(reference: string): readonly BankTransfer[];
  outgoing(purpose: string): readonly BankTransfer[];
};

type Day = DayListing & {
  add(transfers: readonly BankTransfer[]): void;
  /** Full pages that were read: what stands there does not change but for its state. */
  fullPages: number;
  usedMs: number;
  /** When the newest listing that came to its end was begun. */
  asOfMs: number;
  loading?: Promise<Unanswered | undefined>;
};

export type Listings = {
  /** All that entered on a day, as it was at a time or later. */
  of(
    day: string,
    asked: CallBounds & { sinceMs: number },
  ): Promise<{ ok: true; listing: DayListing } | Unanswered>;
};

/**
 * The transfers of a day, a page at a time. Questions at about the same time share one listing, and
 * a page that was full is not read again. Nothing is read unless somebody asks. A day that has been
 * over for longer than clocks differ stays as it is.
 */
export function createListings(
  client: BankClient,
  { clockSkewMs, now }: { clockSkewMs: number; now: () => number },
): Listings {
  const days = new Map<string, Day>();

  const dayOf = (day: string): Day => {
    const known = days.get(day) ?? newDay();
    // The one that was used longest ago is the first.
    days.delete(day);
    days.set(day, known);
    known.usedMs = now();
    for (const [each, { usedMs }] of days)
      if (days.size > maxDays || usedMs < now() - unusedMs) days.delete(each);
    return known;
  };

  async function load(day: string, known: Day): Promise<Unanswered | undefined> {
    const beganMs = now();
    for (let page = known.fullPages + 1; ; page += 1) {
      const path = bankPaths.listing({ account: client.account, day, page });
      const answer = await client.ask(path, { timeoutMs: pageTimeoutMs });
      if (!answer.ok) return answer;
      const read = readPage(answer.records, { account: client.account, day, page });
      if (!read) return client.refuse('not the page that was asked for');
      known.add(read.transfers);
      if (!read.more) break;
      known.fullPages = page;
    }
    known.asOfMs = beganMs;
    return undefined;
  }

  return {
    async of(day, { sinceMs, ...bounds }) {
      const known = dayOf(day);
      const endMs = Date.parse(day) + dayMs;
      const deadlineMs = now() + bounds.timeoutMs;
      while (known.asOfMs < Math.min(sinceMs, endMs + clockSkewMs)) {
        known.loading ??= load(day, known).finally(() => delete known.loading);
        const failed = await within(known.loading, { ...bounds, timeoutMs: deadlineMs - now() });
        if (failed) return failed;
      }
      return { ok: true, listing: known };
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
        // Asked for with the transfer whose money it takes back.
        if (each.returns !== undefined) continue;
        const [kind, name] =
          each.direction === 'in'
            ? [incoming, referenceIn(each.purpose)]
            : [outgoing, each.purpose];
        if (name === undefined) continue;
        // A line that stands there twice is one transfer.
        const same = kind.get(name) ?? new Map<string, BankTransfer>();
        kind.set(name, same.set(each.transfer, each));
      }
    },
  };
}

function readPage(
  [head, ...lines]: readonly object[],
  asked: { account: string; day: string; page: number },
): { transfers: BankTransfer[]; more: boolean } | undefined {
  const page = bankPageSchema.safeParse(head).data;
  const transfers = lines.flatMap(
    (line) => readRecord(bankTransferSchema, line as Record<string, string>) ?? [],
  );
  const right =
    page?.account === asked.account &&
    page.day === asked.day &&
    page.page === asked.page &&
    page.lines === lines.length &&
    // A page without lines has no next one: it would be read on forever.
    (page.more === 'no' || lines.length > 0) &&
    transfers.length === lines.length &&
    transfers.every(({ account }) => account === asked.account);
  return right ? { transfers, more: page.more === 'yes' } : undefined;
}

/** What others wait for too, as long as this one waits. */
async function within(
  loading: Promise<Unanswered | undefined>,
  { timeoutMs, signal }: CallBounds,
): Promise<Unanswered | undefined> {
  const over = Promise.withResolvers<Unanswered>();
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
