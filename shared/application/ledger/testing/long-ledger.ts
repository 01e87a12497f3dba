import { newEvent } from '#shared/platform/event-store/testing/new-event.ts';
import type { EventStore, NewEvent, StoredEvent } from '#shared/platform/event-store/index.ts';

/** The credit of 1.00 at this revision of the ledger of shop s in RUB. */
export const creditAt = (revision: number): NewEvent =>
  newEvent({
    id: `past-${revision}`,
    type: 'EntryPosted',
    data: {
      shop_id: 's',
      currency: 'RUB',
      kind: 'credit',
      operation_id: `past-${revision}`,
      legs: [
        { account: 'provider', amount: '-1.00' },
        { account: 'balance', amount: '1.00' },
      ],
      balance_after: `${revision + 1}.00`,
      reserved_after: '0.00',
    },
  });

const positionAt = (revision: number) => BigInt(revision) * 3n + 7n;

/**
 * One ledger with a long history, generated as it is read. A page before the newest one is only
 * returned when a test allows it; until then the read hangs.
 */
export function createLongLedger(pastLength: number) {
  const added: NewEvent[] = [];
  /** The revisions from which pages were read back. */
  const pages: number[] = [];
  let allowed = 0;
  let hanging = Promise.withResolvers<void>();
  let opened = Promise.withResolvers<void>();

  const at = (stream: string, revision: number): StoredEvent => ({
    ...(added[revision - pastLength] ?? creditAt(revision)),
    stream,
    revision,
    position: positionAt(revision),
    created: new Date(0),
  });
  const head = () => pastLength + added.length - 1;

  const store: Pick<EventStore, 'append' | 'read'> = {
    append: async ({ expectedRevision, events }) => {
      if (expectedRevision !== head()) return { outcome: 'conflict', actualRevision: head() };
      added.push(...events);
      return { outcome: 'appended', revision: head(), position: positionAt(head()) };
    },
    read: async (stream, { fromRevision, direction = 'forwards', maxCount = 1 } = {}) => {
      const step = direction === 'forwards' ? 1 : -1;
      const from = fromRevision ?? head();
      if (step === -1 && fromRevision !== undefined) {
        pages.push(from);
        while (allowed === 0) {
          hanging.resolve();
          await opened.promise;
        }
        allowed -= 1;
      }
      return Array.from({ length: maxCount }, (_, each) => from + each * step)
        .filter((revision) => revision >= 0 && revision <= head())
        .map((revision) => at(stream, revision));
    },
  };
  return {
    store,
    pages,
    headPosition: () => positionAt(head()),
    /** Allows this many more pages. */
    allow: (count: number) => {
      allowed += count;
      hanging = Promise.withResolvers();
      opened.resolve();
      opened = Promise.withResolvers();
    },
    /** Settles when a read hangs. */
    hangs: () => hanging.promise,
  };
}
