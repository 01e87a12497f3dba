import type { z } from 'zod';

type Schemas = Readonly<Record<string, z.ZodType>>;

/** An event of a set of schemas, as a union over its types. */
export type EventOf<S extends Schemas> = {
  [Type in keyof S & string]: { type: Type; data: z.infer<S[Type]> };
}[keyof S & string];

/**
 * Reads stored events of one kind of stream. The function throws when the type is unknown or the content is not of its
 * schema: the log is then newer than the code, or was written by something else, and nothing may be decided on it.
 */
export function decoderOf<S extends Schemas>(schemas: S, what: string) {
  return (stored: { type: string; data: unknown }): EventOf<S> => {
    const schema = Object.hasOwn(schemas, stored.type) ? schemas[stored.type] : undefined;
    if (!schema) throw new Error(`unknown ${what} event ${stored.type}`);
    return { type: stored.type, data: schema.parse(stored.data) } as EventOf<S>;
  };
}
