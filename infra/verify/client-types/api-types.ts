import { nameOf, typeOf, type Schema } from './schema-type.ts';

/** What the client is made from: the parts of an OpenAPI document that decide a type. */
export type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    responses: Readonly<Record<string, Answer>>;
  };
};

type Content = { schema?: Schema; examples?: Readonly<Record<string, { value: unknown }>> };
type Answer = { $ref?: string; content?: Readonly<Record<string, Content>> };
type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description: string;
  schema: Schema;
};
type Operation = {
  operationId: string;
  summary: string;
  security: readonly unknown[];
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, Answer>>;
};

type Endpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** Nothing: it takes no body. */
  body?: { kind: 'json' | 'form'; schema: string };
  /** What it takes in its query, as a type. */
  query?: string;
  answer: string;
  problems: readonly string[];
};

const header = `// Made from docs/openapi.json by \`npm run client:types\`: change that, not this.

/**
 * An exact decimal with two places, such as \`"60.50"\`: what a JSON number was written as, never a
 * float.
 */
export type DecimalText = string;`;

/** The module of types, endpoints and codes that stands behind the client. Not formatted yet. */
export function apiModule(document: Document): string {
  const endpoints = endpointsOf(document);
  const requests = new Set(endpoints.flatMap(({ body }) => (body ? [body.schema] : [])));
  const statuses = statusesOf(document);
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => name !== 'Problem')
    .map(
      ([name, schema]) =>
        `export type ${name} = ${typeOf(schema, requests.has(name) ? 'request' : 'answer')};`,
    );
  const listed = endpoints.map(
    ({ id, method, path, summary, body, query, problems }) =>
      `/** ${summary}. */\n${id}: ${JSON.stringify({ method, path, body: body?.kind ?? (query ? 'query' : 'none'), problems })},`,
  );
  const table = (of: (endpoint: Endpoint) => string) =>
    endpoints.map((endpoint) => `${endpoint.id}: ${of(endpoint)};`).join('\n');
  return `${header}

${schemas.join('\n\n')}

/** Every endpoint that a key is for, with the codes that each can be refused with. */
export const endpoints = {\n${listed.join('\n')}\n} as const;

/** What each endpoint takes. */
export type Requests = {\n${table(({ body, query }) => body?.schema ?? query ?? 'undefined')}\n};

/** What each endpoint answers with. */
export type Answers = {\n${table(({ answer }) => answer)}\n};

/** The HTTP status of each code. */
export const problemStatuses = ${JSON.stringify(statuses)} as const;

/** What can be wrong with a single field. */
export type FieldCode = ${fieldCodes(document)
    .map((code) => `'${code}'`)
    .join(' | ')};
`;
}

const withoutMethod = /^\/v1\/(webhook-endpoints|payout-batches|statements|checkpoints|keys)/;

/** A file is fetched as it is: no method of a client reads it. */
const isFile = (responses: Operation['responses']): boolean =>
  responses['200']?.content?.['text/csv'] !== undefined;

function endpointsOf(document: Document): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // The client repeats what it sends: endpoints for webhooks are added once, by hand; files of
      // payouts are sent as they are, and statements are stored as they come.
      .filter(
        ([, { security, responses }]) =>
          security.length > 0 && !isFile(responses) && !withoutMethod.test(path),
      )
      .map(([method, operation]) => {
        const [contentType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
        const answer = operation.responses['200']?.content?.['application/json']?.schema?.$ref;
        if (answer === undefined)
          throw new Error(`${operation.operationId} answers with nothing known`);
        return {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          summary: operation.summary,
          ...(body?.schema?.$ref !== undefined && {
            body: {
              kind: contentType === 'multipart/form-data' ? ('form' as const) : ('json' as const),
              schema: nameOf(body.schema.$ref),
            },
          }),
          ...queryOf(operation),
          answer: nameOf(answer),
          problems: problemsOf(document, operation).map(([code]) => code),
        };
      }),
  );
}

function queryOf({ parameters = [] }: Operation): { query?: string } {
  const sent = parameters.filter((each) => 'in' in each && each.in === 'query') as Parameter[];
  if (sent.length === 0) return {};
  const properties = sent.map(
    ({ name, description, schema }) => [name, { ...schema, description }] as const,
  );
  const required = sent.filter((each) => each.required).map(({ name }) => name);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  return { query: typeOf(schema, 'request') };
}

/** The problems of an operation, by code, with an example of each. */
function problemsOf(
  document: Document,
  { responses }: Operation,
): [code: string, example: unknown][] {
  return Object.values(responses).flatMap((answer) => {
    const shared =
      answer.$ref === undefined ? answer : document.components.responses[nameOf(answer.$ref)];
    const { examples = {} } = shared?.content?.['application/problem+json'] ?? {};
    return Object.entries(examples).map(([code, { value }]): [string, unknown] => [code, value]);
  });
}

const allProblems = (document: Document) =>
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ security }) => security.length > 0)
    .flatMap((operation) => problemsOf(document, operation));

const statusesOf = (document: Document): Record<string, number> =>
  Object.fromEntries(
    allProblems(document).map(([code, example]) => [code, (example as { status: number }).status]),
  );

function fieldCodes(document: Document): string[] {
  const codes = allProblems(document).flatMap(([, example]) =>
    ((example as { errors?: { code: string }[] }).errors ?? []).map(({ code }) => code),
  );
  return [...new Set(codes)];
}
