import type { z } from 'zod';
import type { KeyScope } from '#shared/domain/shop/events.ts';
import type { ProblemCode } from '#shared/platform/http/problems.ts';
import type { FieldCode } from './explanations.ts';

/** What a key must be for; `all`: for everything, a key without scopes. */
export type RouteScope = KeyScope | 'all';

/** A named example: what a request with it is for, and its value. */
export type Example = { summary: string; value: unknown };

/** What a file states of one endpoint, in addition to its schemas' own texts. */
export type EndpointText = {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  id: string;
  summary: string;
  description: string;
  tag: 'Payments' | 'Payouts' | 'Operations' | 'Account' | 'Webhook endpoints' | 'Service';
  /** What the API key must be for, as its route declares; without it the endpoint needs no key. */
  scope?: RouteScope;
  parameters?: readonly Parameter[];
  body?: {
    contentType: 'application/json' | 'multipart/form-data' | 'text/csv';
    /** A file of another type that may be sent instead. */
    fileType?: string;
    /** The schema's name in the document; with different rules it needs another. */
    name: string;
    schema: z.ZodType;
    /** Rules that a schema of single fields does not show, as JSON Schema. */
    rules?: Readonly<Record<string, unknown>>;
    examples?: Readonly<Record<string, Example>>;
  };
  answer: {
    status: 200 | 201 | 202 | 204;
    description: string;
    name?: string;
    schema?: z.ZodType;
    /** Where the answer is a file: what it may be. */
    contentTypes?: readonly string[];
    examples?: Readonly<Record<string, Example>>;
    /** May be the answer to a request that was answered before. */
    replayed?: boolean;
  };
  /** The codes besides those that `defineEndpoint` adds. */
  problems?: readonly ProblemCode[];
  /**
   * The codes that fields of the body or parameters can have, with the pointer that they are at.
   */
  fields?: readonly (readonly [code: FieldCode, pointer: string])[];
};

export type Parameter = {
  name: string;
  in: 'path' | 'query';
  description: string;
  schema: Readonly<Record<string, unknown>>;
  optional?: true;
};

/** A parameter of the query that may be left out. */
export const filter = (
  name: string,
  description: string,
  schema: Parameter['schema'],
): Parameter => ({ name, in: 'query', description, schema, optional: true });

export const identifierSchema = { type: 'string', minLength: 1, maxLength: 512 };
export const timeSchema = { type: 'string', format: 'date-time' };

/** The id in a path; another shop's is answered as unknown. */
export const pathIdParameter = (name: string, what: string): Parameter => ({
  name,
  in: 'path',
  description: `The id of the ${what}. Another shop’s is not found.`,
  schema: { type: 'string', format: 'uuid' },
});

/** The one example of a body or an answer. */
export const example = (summary: string, value: unknown) => ({ example: { summary, value } });

/** What any request with a key can meet. */
const withKey = [
  'api_key_required',
  'api_key_invalid',
  'forbidden',
  'rate_limited',
  'internal_error',
  'not_ready',
] as const satisfies readonly ProblemCode[];

/** What any JSON body can meet. */
const withJson = [
  'invalid_json',
  'invalid_request',
  'body_too_large',
  'content_type_unsupported',
] as const satisfies readonly ProblemCode[];

export type Endpoint = EndpointText & { needsKey: boolean; problems: readonly ProblemCode[] };

/** An endpoint with the codes that any request with a key, or with a JSON body, can meet. */
export function defineEndpoint(text: EndpointText): Endpoint {
  const needsKey = text.scope !== undefined;
  const problems = [
    ...(needsKey ? withKey : []),
    ...(text.body?.contentType === 'application/json' ? withJson : []),
    ...(text.problems ?? []),
  ];
  return { ...text, needsKey, problems };
}
