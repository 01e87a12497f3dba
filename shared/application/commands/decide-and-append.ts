import {
  handleCommand,
  type CommandResult,
  type Decision,
  type Seal,
  type StreamFold,
} from '#shared/platform/event-store/handle-command.ts';
import type { EventStore, StoredReport } from '#shared/platform/event-store/index.ts';
import { toNewEvent } from './new-events.ts';
import type { Origin } from './origin.ts';

type DomainEvent = { type: string; data: object };

/** The stream that a command decides on. */
export type CommandTarget<State, Event> = {
  store: EventStore;
  stream: string;
  folding: StreamFold<State, Event>;
  /**
   * A state that the caller has: the first try decides on it. Without it the stream is read first.
   */
  fromState?: State | undefined;
  /** That state may lack the newest events. */
  mayBeStale?: boolean | undefined;
  /** Encrypts the personal data in the events, once a try. */
  seal?: Seal<State, Event> | undefined;
  /** Who causes the events; evaluated again for each try. */
  origin: Origin | (() => Origin);
  /** The callback that causes them; stored with the first of them. */
  report?: () => StoredReport | undefined;
  deadlineMs?: number | undefined;
};

/**
 * The only way to change a stream: folds it, decides, and appends the events at the revision that
 * was folded. After a version conflict it reads the new events and decides again.
 */
export function decideAndAppend<
  State extends { revision: number },
  Event extends DomainEvent,
  D extends Decision<Event>,
>(
  { origin, report, ...target }: CommandTarget<State, Event>,
  decide: (state: State) => D | Promise<D>,
): Promise<CommandResult<State, D>> {
  const write = (event: Event, index: number) =>
    toNewEvent(
      event,
      typeof origin === 'function' ? origin() : origin,
      // Only with the first event: that is enough for an auditor, and it is as large as the event
      // itself.
      index === 0 ? report?.() : undefined,
    );
  return handleCommand<State, Event, D>({ ...target, write, decide });
}
