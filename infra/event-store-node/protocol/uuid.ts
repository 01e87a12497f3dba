import { randomUUID } from 'node:crypto';
import type { ProtoReader } from '#shared/platform/protobuf/reader.ts';
import {
  bytesField,
  encodeMessage,
  stringField,
  varintField,
} from '#shared/platform/protobuf/writer.ts';

/** The two ways in which the protocol writes a UUID. */
export type UuidForm = 'string' | 'structured';

export type WireUuid = { readonly bytes: Buffer; readonly form: UuidForm };

const EMPTY_UUID = Buffer.alloc(16);

/** True for the all-zero UUID, which the store refuses as an event id. */
export function isEmptyUuid(bytes: Uint8Array): boolean {
  return EMPTY_UUID.equals(bytes);
}

/** Reads event_store.client.UUID. A missing or unreadable one is all zero, which no event has. */
export function readWireUuid(reader: ProtoReader): WireUuid {
  let halves: readonly [bigint, bigint] = [0n, 0n];
  let form: UuidForm = 'structured';
  let text: string | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) halves = reader.message().twoUint64s();
    else if (tag === 18) {
      text = reader.string();
      form = 'string';
    } else reader.skip(tag);
  }
  if (text !== undefined) return { bytes: uuidFromText(text) ?? EMPTY_UUID, form };
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, halves[0]), 0);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, halves[1]), 8);
  return { bytes, form };
}

/** Parses the 36-character form (or 32 hex digits); undefined for anything else. */
export function uuidFromText(text: string): Buffer | undefined {
  const hex = text.length === 36 ? text.replaceAll('-', '') : text;
  const bytes = Buffer.from(hex, 'hex');
  return hex.length === 32 && bytes.length === 16 ? bytes : undefined;
}

/** A new random id. */
export function randomUuid(): Buffer {
  return uuidFromText(randomUUID()) ?? EMPTY_UUID;
}

export function uuidToText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Encodes event_store.client.UUID in the given form. */
export function encodeUuid(bytes: Uint8Array, form: UuidForm): Buffer {
  if (form === 'string') return stringField(2, uuidToText(bytes));
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return bytesField(
    1,
    encodeMessage(varintField(1, view.readBigUInt64BE(0)), varintField(2, view.readBigUInt64BE(8))),
  );
}
