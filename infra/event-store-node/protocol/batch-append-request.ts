import type { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import type { ExpectedRevision } from '../streams/expected-revision.ts';
import { readExpectedRevision, readProposedEvent, readStreamName } from './append-messages.ts';
import type { ProposedEvent } from './append-messages.ts';
import { readWireUuid } from './uuid.ts';
import type { WireUuid } from './uuid.ts';

export type BatchAppendOptions = {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  /** The milliseconds until the deadline, in whichever form it was sent; undefined without one. */
  readonly timeoutMs: number | undefined;
};

export type BatchAppendRequest = {
  readonly correlation: WireUuid | undefined;
  readonly options: BatchAppendOptions | undefined;
  readonly events: readonly ProposedEvent[];
  readonly isFinal: boolean;
};

/**
 * Reads one BatchAppendReq. `nowMs` turns an absolute deadline into a time-out. Throws
 * `MalformedMessageError`.
 */
export function readBatchAppendRequest(reader: ProtoReader, nowMs: number): BatchAppendRequest {
  let correlation: WireUuid | undefined;
  let options: BatchAppendOptions | undefined;
  const events: ProposedEvent[] = [];
  let isFinal = false;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) correlation = readWireUuid(reader.message());
    else if (tag === 18) options = readOptions(reader.message(), nowMs);
    else if (tag === 26) events.push(readProposedEvent(reader.message()));
    else if (tag === 32) isFinal = reader.varint() !== 0;
    else reader.skip(tag);
  }
  return { correlation, options, events, isFinal };
}

function readOptions(reader: ProtoReader, nowMs: number): BatchAppendOptions {
  let stream = '';
  let expected: ExpectedRevision = { kind: 'any' };
  let timeoutMs: number | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) stream = readStreamName(reader.message());
    else if (tag === 50) timeoutMs = readSecondsAndNanos(reader.message()) - nowMs;
    else if (tag === 58) timeoutMs = readSecondsAndNanos(reader.message());
    else {
      const revision = readExpectedRevision(tag, reader);
      if (revision === undefined) reader.skip(tag);
      else expected = revision;
    }
  }
  return { stream, expected, timeoutMs };
}

/** google.protobuf.Timestamp and Duration alike, in milliseconds. */
function readSecondsAndNanos(reader: ProtoReader): number {
  const [seconds, nanos] = reader.twoUint64s();
  return Number(BigInt.asIntN(64, seconds)) * 1000 + Number(BigInt.asIntN(64, nanos)) / 1e6;
}
