import {
  bytesField,
  emptyField,
  encodeMessage,
  stringField,
  varintField,
} from '#shared/platform/protobuf/writer.ts';

/** A read of a stream or of the log, or a subscription. */
export type ReadQuestion = {
  /** Undefined: the whole log. */
  stream?: string;
  /** A revision of the stream, or the commit position of an event of the log. */
  from: 'start' | 'end' | number | bigint;
  direction?: 'forwards' | 'backwards';
  /** The most events to read; undefined: a subscription, which is possible only to the log. */
  maxCount?: number;
  /** For a subscription to the log. With a filter, the store also sends checkpoints. */
  filter?: { streamPrefixes: readonly string[] } | { typeRegex: string };
};

/** A ReadReq of `event_store.client.streams`, with UUIDs as text and without resolving links. */
export function encodeRead(question: ReadQuestion): Buffer {
  const { stream, direction = 'forwards', maxCount, filter } = question;
  const options = [
    stream === undefined
      ? bytesField(2, logPlace(question))
      : bytesField(1, streamPlace(stream, question)),
    ...(direction === 'backwards' ? [varintField(3, 1)] : []),
    maxCount === undefined ? emptyField(6) : varintField(5, maxCount),
    filter ? bytesField(7, filterOptions(filter)) : emptyField(8),
    textUuids,
  ];
  return bytesField(1, encodeMessage(...options));
}

const textUuids = bytesField(9, emptyField(2));

function streamPlace(stream: string, { from }: ReadQuestion): Buffer {
  const name = bytesField(1, stringField(3, stream));
  const revision =
    from === 'start' ? emptyField(3) : from === 'end' ? emptyField(4) : varintField(2, from);
  return encodeMessage(name, revision);
}

function logPlace({ from }: ReadQuestion): Buffer {
  if (from === 'start') return emptyField(2);
  if (from === 'end') return emptyField(3);
  return bytesField(1, encodeMessage(varintField(1, from), varintField(2, from)));
}

/** Without a limit of the search, and with a checkpoint for every page that the store searches. */
function filterOptions(filter: NonNullable<ReadQuestion['filter']>): Buffer {
  const chosen =
    'typeRegex' in filter
      ? bytesField(2, stringField(1, filter.typeRegex))
      : bytesField(
          1,
          encodeMessage(...filter.streamPrefixes.map((prefix) => stringField(2, prefix))),
        );
  return encodeMessage(chosen, emptyField(4), varintField(5, 1));
}
