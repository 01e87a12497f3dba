import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { ProviderConnector, Providers } from '#shared/application/providers/connector.ts';

/**
 * `before` the call is sent, `during` it (it is sent, and the caller dies), or `after` it, when the
 * response is lost.
 */
export type Moment = 'before' | 'during' | 'after';

export type DyingProcess = {
  store: EventStore;
  providers: Providers;
  /** Its calls in order: `append <event types>`, `post <entry kinds>`, `quote`, `submit`. */
  calls: string[];
  /** Resolves when it dies: from then on it sends and receives nothing. */
  died: Promise<void>;
};

/** The promise that calls of a dead process wait for. */
const never = new Promise<void>(() => undefined);

/**
 * A log and providers for a simulated process that dies at its `at`th call, counted from 0. If it
 * `wakes`, it was only suspended with its machine, and resumes as if no time had passed.
 */
export function createDyingProcess(
  alive: { store: EventStore; providers: Providers },
  death?: { at: number; moment: Moment; wakes?: Promise<void> },
): DyingProcess {
  const calls: string[] = [];
  const dying = Promise.withResolvers<void>();
  let dead = false;
  const die = () => {
    dead = true;
    dying.resolve();
  };
  const life = async () => {
    if (dead) await (death?.wakes ?? never);
  };
  const call = async <T>(name: string, make: () => Promise<T>): Promise<T> => {
    await life();
    const fatal = calls.length === death?.at;
    calls.push(name);
    if (fatal && death?.moment === 'before') die();
    await life();
    const made = make();
    if (fatal && death?.moment === 'during') die();
    const result = await made;
    if (fatal) die();
    await life();
    return result;
  };
  const { store } = alive;
  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    await life();
    const result = await read();
    await life();
    return result;
  };
  return {
    calls,
    died: dying.promise,
    store: {
      ...store,
      append: (request) => call(nameOf(request), () => store.append(request)),
      read: (stream, request) => reading(() => store.read(stream, request)),
      head: () => reading(() => store.head()),
    },
    providers: new Map(
      [...alive.providers].map(([name, { quote, ...connector }]): [string, ProviderConnector] => [
        name,
        {
          ...connector,
          submit: (submission, bounds) =>
            call('submit', () => connector.submit(submission, bounds)),
          ...(quote && { quote: (wanted, bounds) => call('quote', () => quote(wanted, bounds)) }),
        },
      ]),
    ),
  };
}

function nameOf({ stream, events }: Parameters<EventStore['append']>[0]): string {
  const kinds = events.map(({ type, data }) =>
    type === 'EntryPosted' ? (data as { kind: string }).kind : type,
  );
  return `${stream.startsWith('ledger-') ? 'post' : 'append'} ${kinds.join(' ')}`;
}
