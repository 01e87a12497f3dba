import type { z } from 'zod';
import { newestVersion, upcast } from './versions.ts';

type Schemas = Readonly<Record<string, z.ZodType>>;

/** An event of a set of schemas, as a union over its types. */
export type EventOf<S extends Schemas> = {
  [Type in keyof S & string]: { type: Type; data: z.infer<S[Type]> };
}[keyof S & string];

/** The parts of a stored event from which its content is decoded. */
type EncodedEvent = {
  type: string;
  data: unknown;
  metadata: { schema_version: number };
  /** Where the signatures of events are verified: throws unless this one's holds. */
  verify?(): void;
};

/**
 * The log has an event that this program can't read, because a newer version or another program
 * wrote it. Nothing may be decided on its stream.
 */
export class UnreadableEvent extends Error {
  override readonly name: string = 'UnreadableEvent';
}

/** An event that only a newer version can read; it is not corrupt. */
export class NewerEvent extends UnreadableEvent {
  override readonly name = 'NewerEvent';
}

/** An event in an older version than its stream already has: no program of the gateway wrote it. */
export class OutdatedEvent extends UnreadableEvent {
  override readonly name = 'OutdatedEvent';
}

/** An event that no service has signed, in a log that is signed: nobody knows who wrote it. */
export class UntrustedEvent extends UnreadableEvent {
  override readonly name = 'UntrustedEvent';
}

/** What was decoded; undefined of an event that no service has signed. */
export function decodeTrusted<Event>(decode: () => Event): Event | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UntrustedEvent) return undefined;
    throw error;
  }
}

/** The unreadable event that caused an error; undefined for any other error. */
export function unreadableIn(error: unknown): UnreadableEvent | undefined {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < 8; depth += 1) {
    if (cause instanceof UnreadableEvent) return cause;
    ({ cause } = cause);
  }
  return undefined;
}

/**
 * Decodes stored events of one kind of stream by type and version; older versions are upgraded to
 * the newest. The function
 * @throws UnreadableEvent when the type or the version is unknown, the content does not match its
 *   schema, or the event's signature does not hold
 */
export function createDecoder<S extends Schemas>(
  schemas: S,
  what: string,
): (stored: EncodedEvent) => EventOf<S> {
  // Several followers in a process get the same event object, and each decodes it.
  const decoded = new WeakMap<EncodedEvent, EventOf<S>>();
  const decode = ({ type, data, metadata }: EncodedEvent): EventOf<S> => {
    const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
    if (!schema)
      throw new UnreadableEvent(
        `unknown ${what} event ${type}: a newer version of the gateway, or none, wrote it`,
      );
    const version = metadata.schema_version;
    checkVersion(`${what} event ${type}`, { version, newest: newestVersion(type) });
    const read = schema.safeParse(upcast({ type, version, data }));
    if (!read.success)
      throw new UnreadableEvent(
        `${what} event ${type} of version ${version} is not of its schema`,
        {
          cause: read.error,
        },
      );
    return { type, data: read.data } as EventOf<S>;
  };
  return (stored) => {
    const cached = decoded.get(stored);
    if (cached) return cached;
    stored.verify?.();
    const event = decode(stored);
    decoded.set(stored, event);
    return event;
  };
}

function checkVersion(
  what: string,
  { version, newest }: { version: number; newest: number },
): void {
  if (!Number.isInteger(version) || version < 1)
    throw new UnreadableEvent(`${what} has no schema version: ${JSON.stringify(version)}`);
  if (version <= newest) return;
  throw new NewerEvent(
    `${what} has version ${version}, and this program reads none above ${newest}: a newer version of the gateway wrote it`,
  );
}
