import { z } from 'zod';
import type { Answer, Json } from './answer.ts';

/** The answers of one instance as `GET /openapi.json` describes them. */
type Document = {
  readonly faultsOf: (method: string, path: string, answer: Answer) => string[];
  /** The members of a named schema, or of an object in it. */
  readonly membersIn: (name: string, ...path: readonly string[]) => string[];
};

/** Parses an OpenAPI document, so that answers can be checked against it (R2.11). */
export function readApiDocument(openapi: Json): Document {
  const schemas = new Map<string, z.ZodType>();
  const schemaOf = (name: string, schema: Json): z.ZodType => {
    const known = schemas.get(name) ?? z.fromJSONSchema(inline(openapi, schema));
    schemas.set(name, known);
    return known;
  };
  return {
    membersIn: (name, ...path) => {
      const schema = path.reduce(
        (at: Json, member) => at.properties[member],
        inline(openapi, openapi.components.schemas[name]),
      );
      return Object.keys(schema.properties);
    },
    faultsOf: (method, path, { status, headers, body }) => {
      const described = openapi.paths[path]?.[method.toLowerCase()];
      // An unknown method or path has no description.
      if (described === undefined) return [];
      const answer = resolve(openapi, described.responses[String(status)]);
      if (answer === undefined) return [`${status} is not described`];
      const absent = Object.entries(answer.headers ?? {})
        .filter(([name]) => name !== 'Idempotent-Replayed' && !headers.has(name))
        // A failure may come before the key and its rate are known.
        .filter(([, header]) => status < 500 || resolve(openapi, header).required === true);
      if (absent.length > 0) return [`${status} has no ${absent.map(([name]) => name).join()}`];
      if (body === undefined) return [];
      const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
      const { schema, examples } = answer.content?.[type] ?? {};
      if (schema === undefined) return [`${status} is not described as ${type}`];
      const checked = schemaOf(`${method} ${path} ${status}`, schema).safeParse(body);
      const faults = checked.error?.issues ?? [];
      return [
        ...faults.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
        ...(status >= 400 ? codeFaults(examples, body) : []),
      ];
    },
  };
}

/** Codes of a problem and its fields that no example has: there is one for each code. */
function codeFaults(examples: Json, { code, errors = [] }: Json): string[] {
  if (examples?.[code] === undefined) return [`the code ${code} is not described`];
  const described = (examples[code].value.errors ?? []).map((error: Json) => error.code);
  return errors
    .filter((error: Json) => !described.includes(error.code))
    .map((error: Json) => `the field code ${error.code} is not described`);
}

function resolve(openapi: Json, value: Json): Json {
  const pointer = value?.$ref;
  if (typeof pointer !== 'string') return value;
  let at: Json = openapi;
  for (const part of pointer.split('/').slice(1))
    at = at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  return resolve(openapi, at);
}

function inline(openapi: Json, value: Json): Json {
  const resolved = resolve(openapi, value);
  if (Array.isArray(resolved)) return resolved.map((member) => inline(openapi, member));
  if (typeof resolved !== 'object' || resolved === null) return resolved;
  const members = Object.fromEntries(
    Object.entries(resolved).map(([key, member]) => [key, inline(openapi, member)]),
  );
  // Clients must tolerate undocumented fields; the gateway sends none.
  return members['type'] === 'object' && members['properties'] !== undefined
    ? { additionalProperties: false, ...members }
    : members;
}
