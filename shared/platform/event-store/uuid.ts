import type { ProtoReader } from '#shared/platform/protobuf/reader.ts';

/**
 * Reads `event_store.client.UUID` as text, which is the form that we ask for. The form with two
 * halves is understood too.
 */
export function readUuid(reader: ProtoReader): string {
  let text = '';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) text = fromHalves(reader.message());
    else if (tag === 18) text = reader.string();
    else reader.skip(tag);
  }
  return text;
}

/** Two 64-bit integers, which are too large for a number. */
function fromHalves(reader: ProtoReader): string {
  const halves = reader.twoUint64s();
  const hex = halves.map((half) => half.toString(16).padStart(16, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
