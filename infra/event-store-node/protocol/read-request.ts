import type { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import { readStreamName } from './append-messages.ts';
import type { UuidForm } from './uuid.ts';

export type LogPosition = { readonly commit: number; readonly prepare: number };

/** Where to start. `at` is inclusive for reads and exclusive for subscriptions. */
export type From<T> = { readonly kind: 'start' | 'end' } | { readonly kind: 'at'; readonly at: T };

export type FilterOptions = {
  readonly on: 'stream' | 'type';
  readonly regex: string;
  readonly prefixes: readonly string[];
  /** Events in a search window; undefined: the server decides. */
  readonly maxSearchWindow: number | undefined;
  readonly checkpointIntervalMultiplier: number;
};

export type WireReadRequest = {
  readonly stream: { readonly name: string; readonly from: From<number> } | undefined;
  readonly all: { readonly from: From<LogPosition> } | undefined;
  readonly backwards: boolean;
  readonly resolveLinks: boolean;
  /** `count` is undefined and `subscription` false when the request says neither. */
  readonly count: number | undefined;
  readonly subscription: boolean;
  readonly filter: FilterOptions | undefined;
  readonly noFilter: boolean;
  readonly uuidForm: UuidForm | undefined;
  readonly compatibility: number;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Reads ReadReq; undefined when its options are missing. Throws `MalformedMessageError`. */
export const readReadRequest = (reader: ProtoReader): WireReadRequest | undefined =>
  reader.only(10, (options) => readOptions(options.message()));

function readOptions(reader: ProtoReader): WireReadRequest {
  const request: Mutable<WireReadRequest> = {
    stream: undefined,
    all: undefined,
    backwards: false,
    resolveLinks: false,
    count: undefined,
    subscription: false,
    filter: undefined,
    noFilter: false,
    uuidForm: undefined,
    compatibility: 0,
  };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) request.stream = readStreamOptions(reader.message());
    else if (tag === 18) request.all = { from: readAllOptions(reader.message()) };
    else if (tag === 24) request.backwards = reader.varint() === 1;
    else if (tag === 32) request.resolveLinks = reader.varint() !== 0;
    else if (tag === 40) request.count = reader.varint();
    else if (tag === 58) request.filter = readFilter(reader.message());
    else if (tag === 74) request.uuidForm = readUuidOption(reader.message());
    else if (tag === 82)
      request.compatibility = reader.message().only(8, (field) => field.varint()) ?? 0;
    else {
      if (tag === 50) request.subscription = true;
      else if (tag === 66) request.noFilter = true;
      reader.skip(tag);
    }
  }
  return request;
}

function readStreamOptions(reader: ProtoReader): { name: string; from: From<number> } {
  let name = '';
  let from: From<number> = { kind: 'start' };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) name = readStreamName(reader.message());
    else if (tag === 16) from = { kind: 'at', at: reader.varint() };
    else {
      if (tag === 26) from = { kind: 'start' };
      else if (tag === 34) from = { kind: 'end' };
      reader.skip(tag);
    }
  }
  return { name, from };
}

function readAllOptions(reader: ProtoReader): From<LogPosition> {
  let from: From<LogPosition> = { kind: 'start' };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) from = { kind: 'at', at: readPosition(reader.message()) };
    else {
      if (tag === 18) from = { kind: 'start' };
      else if (tag === 26) from = { kind: 'end' };
      reader.skip(tag);
    }
  }
  return from;
}

function readPosition(reader: ProtoReader): LogPosition {
  const [commit, prepare] = reader.twoVarints();
  return { commit, prepare };
}

function readFilter(reader: ProtoReader): FilterOptions {
  let on: 'stream' | 'type' = 'stream';
  let regex = '';
  let prefixes: readonly string[] = [];
  let maxSearchWindow: number | undefined;
  let checkpointIntervalMultiplier = 1;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10 || tag === 18) {
      on = tag === 10 ? 'stream' : 'type';
      ({ regex, prefixes } = readExpression(reader.message()));
    } else if (tag === 24) maxSearchWindow = reader.varint();
    else if (tag === 40) checkpointIntervalMultiplier = reader.varint();
    else reader.skip(tag);
  }
  return { on, regex, prefixes, maxSearchWindow, checkpointIntervalMultiplier };
}

function readExpression(reader: ProtoReader): { regex: string; prefixes: readonly string[] } {
  let regex = '';
  const prefixes: string[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) regex = reader.string();
    else if (tag === 18) prefixes.push(reader.string());
    else reader.skip(tag);
  }
  return { regex, prefixes };
}

function readUuidOption(reader: ProtoReader): UuidForm | undefined {
  let form: UuidForm | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) form = 'structured';
    else if (tag === 18) form = 'string';
    reader.skip(tag);
  }
  return form;
}
