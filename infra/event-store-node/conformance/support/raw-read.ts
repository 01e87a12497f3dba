import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { Metadata, StatusObject } from '@grpc/grpc-js';
import { onTestFinished, vi } from 'vitest';
import { toCallEnd, rawClient, type CallEnd } from './raw-target.ts';
import { waitLimitMs } from '#infra/verify/harness/tests/eventually.ts';

export type RawPosition = { commit: bigint; prepare: bigint };

/**
 * A read or subscription in terms of the protocol; an omitted field is omitted on the wire or
 * has its plain default.
 */
export type RawRead = {
  /** Name of the stream; $all when absent. */
  stream?: string;
  from?: 'start' | 'end' | bigint | RawPosition;
  direction?: 'forwards' | 'backwards';
  /** Number of events; a subscription when absent. */
  count?: number;
  filter?:
    | 'unset'
    | {
        on: 'stream' | 'type';
        regex?: string;
        prefixes?: string[];
        window?: number;
        interval?: number;
      };
  uuid?: 'string' | 'structured' | 'unset';
  compatibility?: number;
  resolveLinks?: boolean;
};

const Options = streamsPb.ReadReq.Options;

const streamOptions = (
  name: string,
  from: RawRead['from'],
): streamsPb.ReadReq.Options.StreamOptions => {
  const options = new Options.StreamOptions().setStreamIdentifier(
    new sharedPb.StreamIdentifier().setStreamName(new TextEncoder().encode(name)),
  );
  if (typeof from === 'bigint') return options.setRevision(from.toString());
  return from === 'end'
    ? options.setEnd(new sharedPb.Empty())
    : options.setStart(new sharedPb.Empty());
};

const allOptions = (from: RawRead['from']): streamsPb.ReadReq.Options.AllOptions => {
  const options = new Options.AllOptions();
  if (typeof from === 'object') {
    return options.setPosition(
      new Options.Position()
        .setCommitPosition(from.commit.toString())
        .setPreparePosition(from.prepare.toString()),
    );
  }
  return from === 'end'
    ? options.setEnd(new sharedPb.Empty())
    : options.setStart(new sharedPb.Empty());
};

const filterOptions = (
  filter: Exclude<RawRead['filter'], 'unset' | undefined>,
): streamsPb.ReadReq.Options.FilterOptions => {
  const expression = new Options.FilterOptions.Expression()
    .setRegex(filter.regex ?? '')
    .setPrefixList(filter.prefixes ?? []);
  const options = new Options.FilterOptions().setCheckpointintervalmultiplier(filter.interval ?? 1);
  if (filter.window === undefined) options.setCount(new sharedPb.Empty());
  else options.setMax(filter.window);
  return filter.on === 'stream'
    ? options.setStreamIdentifier(expression)
    : options.setEventType(expression);
};

const toReadReq = (read: RawRead): streamsPb.ReadReq => {
  const options = new Options();
  if (read.stream === undefined) options.setAll(allOptions(read.from));
  else options.setStream(streamOptions(read.stream, read.from));
  options.setReadDirection(
    read.direction === 'backwards'
      ? Options.ReadDirection.BACKWARDS
      : Options.ReadDirection.FORWARDS,
  );
  options.setResolveLinks(read.resolveLinks ?? false);
  if (read.count === undefined) options.setSubscription(new Options.SubscriptionOptions());
  else options.setCount(String(read.count));
  if (read.filter === undefined) options.setNoFilter(new sharedPb.Empty());
  else if (read.filter !== 'unset') options.setFilter(filterOptions(read.filter));
  if (read.uuid !== 'unset') {
    const uuid = new Options.UUIDOption();
    if (read.uuid === 'structured') uuid.setStructured(new sharedPb.Empty());
    else uuid.setString(new sharedPb.Empty());
    options.setUuidOption(uuid);
  }
  if (read.compatibility !== undefined) {
    options.setControlOption(new Options.ControlOption().setCompatibility(read.compatibility));
  }
  return new streamsPb.ReadReq().setOptions(options);
};

const caseNames = new Map<number, string>(
  Object.entries(streamsPb.ReadResp.ContentCase).map(([name, value]) => [
    Number(value),
    name.toLowerCase().replaceAll('_', '-'),
  ]),
);

/** The kind of a message, e.g. `event`, `caught-up`, `stream-not-found`. */
export const messageKind = (message: streamsPb.ReadResp): string =>
  caseNames.get(message.getContentCase()) ?? String(message.getContentCase());

/** The recorded event of an `event` message. */
export const readRecordedEvent = (
  message: streamsPb.ReadResp,
): streamsPb.ReadResp.ReadEvent.RecordedEvent => {
  const recorded = message.getEvent()?.getEvent();
  if (!recorded) throw new Error(`a ${messageKind(message)} message has no recorded event`);
  return recorded;
};

/** Position of the event in an `event` message. */
export const eventPosition = (message: streamsPb.ReadResp): RawPosition => ({
  commit: BigInt(readRecordedEvent(message).getCommitPosition()),
  prepare: BigInt(readRecordedEvent(message).getPreparePosition()),
});

/** A read or subscription in progress. */
export type RawReadCall = {
  messages: streamsPb.ReadResp[];
  kinds: () => string[];
  ending: Promise<CallEnd>;
  /** The response headers. */
  headers: Promise<Metadata>;
  /** Waits until the messages satisfy the condition. */
  until: (isDone: (kinds: string[]) => boolean, timeoutMs?: number) => Promise<void>;
  pause: () => void;
  resume: () => void;
};

/** Starts a read or subscription on the wire; it is cancelled when the test ends. */
export const openRead = (
  read: RawRead,
  options: { url?: string; deadlineMs?: number } = {},
): RawReadCall => {
  const client = rawClient(StreamsClient, options.url);
  const call = client.read(toReadReq(read), {
    deadline: Date.now() + (options.deadlineMs ?? 120_000),
  });
  onTestFinished(() => call.cancel());
  const messages: streamsPb.ReadResp[] = [];
  const kinds = (): string[] => messages.map(messageKind);
  // The same ending arrives as `status`.
  call.on('error', () => undefined);
  call.on('data', (message: streamsPb.ReadResp) => messages.push(message));
  const ended = new Promise<void>((resolve) => call.once('close', resolve));
  const ending = new Promise<CallEnd>((resolve) => {
    call.once('status', (status: StatusObject) => {
      // A status can overtake messages that are still in the stream's buffer.
      void ended.then(() => resolve(toCallEnd(status)));
    });
  });
  const headers = new Promise<Metadata>((resolve) => call.once('metadata', resolve));
  return {
    messages,
    kinds,
    ending,
    headers,
    until: async (isDone, timeoutMs = waitLimitMs) => {
      await vi.waitFor(
        () => {
          if (!isDone(kinds()))
            throw new Error(`still waiting; so far: ${kinds().slice(-20).join(', ')}`);
        },
        { timeout: timeoutMs, interval: 5 },
      );
    },
    pause: () => void call.pause(),
    resume: () => void call.resume(),
  };
};

/** A whole finite read: its messages and how it ended. */
export const rawRead = async (
  read: RawRead & { count: number },
  options: { url?: string; deadlineMs?: number } = {},
): Promise<{ messages: streamsPb.ReadResp[]; kinds: string[]; ending: CallEnd }> => {
  const open = openRead(read, options);
  const ending = await open.ending;
  return { messages: open.messages, kinds: open.kinds(), ending };
};
