import { handleCommand, type StreamFold } from './handle-command.ts';
import { NO_STREAM, type EventStore, type NewEvent, type StoredEvent } from './types.ts';

const unread: StreamFold<{ revision: number }, NewEvent> = {
  initial: { revision: NO_STREAM },
  decode: (stored) => stored as NewEvent,
  evolve: (_state, _event, { revision }: StoredEvent) => ({ revision }),
};

/**
 * Appends at the end of a stream, whatever its revision: for streams whose events are independent
 * of each other. After a conflict the append is simply tried again.
 * @throws when the stream can't be read
 */
export async function appendAtHead(
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
): Promise<{ outcome: 'done' } | { outcome: 'undecided'; cause: unknown }> {
  const [head] = await store.read(stream, { direction: 'backwards', maxCount: 1 });
  const state = { revision: head?.revision ?? NO_STREAM };
  const write = (event: NewEvent) => event;
  const result = await handleCommand({
    store,
    stream,
    folding: unread,
    fromState: state,
    write,
    decide: () => ({ events }),
  });
  return result.outcome === 'undecided' ? result : { outcome: 'done' };
}
