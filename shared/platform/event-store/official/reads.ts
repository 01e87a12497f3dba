import {
  BACKWARDS,
  END,
  eventTypeFilter,
  FORWARDS,
  START,
  StreamNotFoundError,
  streamNameFilter,
  type EventStoreDBClient,
  type Position,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { PassThrough } from 'node:stream';
import type { ReadAnswer } from '../reading/decode.ts';
import type { ReadQuestion } from '../reading/encode.ts';
import type { OpenRead, ReadCall } from '../reading/open.ts';
import { toRawEvent } from './raw-event.ts';

/**
 * Reads as the official client does; the answers are those of the gateway's own codec, in the same
 * order.
 */
export function createReads(client: EventStoreDBClient): OpenRead {
  return async (question) => {
    const { stream, maxCount } = question;
    if (maxCount === undefined) return subscription(client, question);
    const options = {
      maxCount,
      direction: question.direction === 'backwards' ? BACKWARDS : FORWARDS,
    } as const;
    const events =
      stream === undefined
        ? client.readAll({ ...options, fromPosition: positionOf(question) })
        : client.readStream(stream, { ...options, fromRevision: revisionOf(question) });
    return inOrder(events, { cancel: () => events.cancel() }).call;
  };
}

function subscription(client: EventStoreDBClient, question: ReadQuestion): ReadCall {
  const checkpointReached = async (_: unknown, { commit, prepare }: Position): Promise<void> => {
    answers.note({ kind: 'checkpoint', commit: Number(commit), prepare: Number(prepare) });
  };
  const events = client.subscribeToAll({
    fromPosition: positionOf(question),
    ...(question.filter && { filter: filterOf(question.filter, checkpointReached) }),
  });
  const answers = inOrder(events, { cancel: () => events.unsubscribe() });
  events.on('caughtUp', () => answers.note({ kind: 'caught_up' }));
  return answers.call;
}

type CheckpointReached = (subscription: unknown, position: Position) => Promise<void>;

const filterOf = (
  filter: NonNullable<ReadQuestion['filter']>,
  checkpointReached: CheckpointReached,
) =>
  'typeRegex' in filter
    ? eventTypeFilter({ regex: filter.typeRegex, checkpointReached })
    : streamNameFilter({ prefixes: [...filter.streamPrefixes], checkpointReached });

function positionOf({ from }: ReadQuestion) {
  if (typeof from === 'string') return from === 'start' ? START : END;
  return { commit: BigInt(from), prepare: BigInt(from) };
}

function revisionOf({ from }: ReadQuestion) {
  if (typeof from === 'string') return from === 'start' ? START : END;
  return BigInt(from);
}

/** The part of the client's streams that is used here. */
type Events = {
  on(event: 'data', listener: (resolved: ResolvedEvent) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  /** How many events are in its buffer. */
  readonly readableLength: number;
};

/**
 * The client's events and notes in the right order. A note (a checkpoint, say) arrives before the
 * events that are in the stream's buffer at that moment. So it is held back here until those events
 * have come out.
 */
export function inOrder(events: Events, { cancel }: { cancel(): Promise<void> }) {
  const answers = new PassThrough({ objectMode: true });
  const notes: { after: number; answer: ReadAnswer }[] = [];
  let given = 0;
  const give = (answer: ReadAnswer) => {
    if (!answers.write(answer)) events.pause();
  };
  events.on('data', (resolved: ResolvedEvent) => {
    give(toAnswer(resolved));
    given += 1;
    while (notes[0] && notes[0].after <= given)
      give((notes.shift() as (typeof notes)[number]).answer);
  });
  answers.on('drain', () => events.resume());
  events.on('end', () => answers.end());
  events.on('error', (error) => {
    if (error instanceof StreamNotFoundError) answers.end();
    else answers.destroy(error);
  });
  const call: ReadCall = Object.assign(answers, {
    cancel: () => void cancel().catch(() => undefined),
  });
  return {
    call,
    note: (answer: ReadAnswer) => {
      const after = given + events.readableLength;
      if (after === given) give(answer);
      else notes.push({ after, answer });
    },
  };
}

/** A link without a target has no event. Links are never asked for. */
function toAnswer({ event }: ResolvedEvent): ReadAnswer {
  return event ? { kind: 'event', event: toRawEvent(event) } : { kind: 'other' };
}
