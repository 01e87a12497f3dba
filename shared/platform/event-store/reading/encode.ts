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
  const place =
    stream === undefined ? field(2, logPlace(question)) : field(1, streamPlace(stream, question));
  const extent = maxCount === undefined ? field(6, nothing) : number(5, maxCount);
  const chosen = filter ? field(7, filterOptions(filter)) : field(8, nothing);
  const backwards = direction === 'backwards' ? number(3, 1) : nothing;
  return field(1, Buffer.concat([place, backwards, extent, chosen, textUuids]));
}

const nothing = Buffer.alloc(0);

function streamPlace(stream: string, { from }: ReadQuestion): Buffer {
  const name = field(1, field(3, Buffer.from(stream, 'utf8')));
  const revision =
    from === 'start' ? field(3, nothing) : from === 'end' ? field(4, nothing) : number(2, from);
  return Buffer.concat([name, revision]);
}

function logPlace({ from }: ReadQuestion): Buffer {
  if (from === 'start') return field(2, nothing);
  if (from === 'end') return field(3, nothing);
  return field(1, Buffer.concat([number(1, from), number(2, from)]));
}

/** Without a limit of the search, and with a checkpoint for every page that the store searches. */
function filterOptions(filter: NonNullable<ReadQuestion['filter']>): Buffer {
  const chosen =
    'typeRegex' in filter
      ? field(2, field(1, Buffer.from(filter.typeRegex, 'utf8')))
      : field(
          1,
          Buffer.concat(
            filter.streamPrefixes.map((prefix) => field(2, Buffer.from(prefix, 'utf8'))),
          ),
        );
  return Buffer.concat([chosen, field(4, nothing), number(5, 1)]);
}

function field(index: number, value: Buffer): Buffer {
  return Buffer.concat([varint((index << 3) | 2), varint(value.length), value]);
}

function number(index: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(index << 3), varint(value)]);
}

function varint(value: number | bigint): Buffer {
  const out: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 128n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  out.push(Number(rest));
  return Buffer.from(out);
}

const textUuids = field(9, field(2, nothing));
