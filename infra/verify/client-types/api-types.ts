import { schemaName, schemaType, type Schema } from './schema-type.ts';

/** The parts of an OpenAPI document that determine the client's types. */
export type OpenApiDocument = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    responses: Readonly<Record<string, Answer>>;
  };
};

type MediaContent = { schema?: Schema; examples?: Readonly<Record<string, { value: unknown }>> };
type Answer = { $ref?: string; content?: Readonly<Record<string, MediaContent>> };
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
  requestBody?: { content: Readonly<Record<string, MediaContent>> };
  responses: Readonly<Record<string, Answer>>;
};

type Endpoint = {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** Where its parameters go, except those in the path. */
  sends: 'json' | 'form' | 'csv' | 'query' | 'path' | 'nothing';
  /** What it takes, as a type. */
  request: string;
  /** The status and the format of its answer. */
  answers: { status: number; as: 'json' | 'csv' | 'nothing' };
  answer: string;
  problems: readonly string[];
};

const header = `// Made from docs/openapi.json by \`npm run openapi\`: change that, not this.

/**
 * An exact decimal with two places, such as \`"60.50"\`: what a JSON number was written as, never a
 * float.
 */
export type DecimalText = string;`;

/** The module of types, endpoints and codes of the client, not formatted yet. */
export function apiModule(document: OpenApiDocument): string {
  const endpoints = readEndpoints(document);
  const requests = bodySchemaNames(document);
  const statuses = readProblemStatuses(document);
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => name !== 'Problem')
    .map(
      ([name, schema]) =>
        `export type ${name} = ${schemaType(schema, requests.has(name) ? 'request' : 'answer')};`,
    );
  const listed = endpoints.map(
    ({ id, method, path, summary, sends, answers, problems }) =>
      `/** ${summary}. */\n${id}: ${JSON.stringify({ method, path, sends, answers, problems })},`,
  );
  const table = (of: (endpoint: Endpoint) => string) =>
    endpoints.map((endpoint) => `${endpoint.id}: ${of(endpoint)};`).join('\n');
  return `${header}

${schemas.join('\n\n')}

/** Every endpoint for API keys, with its error codes. */
export const endpoints = {\n${listed.join('\n')}\n} as const;

/** What each endpoint takes. */
export type Requests = {\n${table(({ request }) => request)}\n};

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

const kinds: Readonly<Record<string, 'json' | 'form' | 'csv'>> = {
  'application/json': 'json',
  'multipart/form-data': 'form',
  'text/csv': 'csv',
};

/** A file of rows; a text is sent in UTF-8. */
const fileType = '{ file: string | Blob }';

const requestContent = ({ requestBody }: Operation) =>
  Object.entries(requestBody?.content ?? {})[0];

/** The schemas that are sent. */
const bodySchemaNames = ({ paths }: OpenApiDocument): ReadonlySet<string> =>
  new Set(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => requestContent(operation)?.[1].schema?.$ref ?? [])
      .map(schemaName),
  );

function readEndpoints(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.length > 0)
      .map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        summary: operation.summary,
        ...takenBy(operation),
        ...readAnswers(operation),
        problems: problemExamples(document, operation).map(([code]) => code),
      })),
  );
}

/** @throws for a body that no client sends */
function takenBy(operation: Operation): Pick<Endpoint, 'sends' | 'request'> {
  const [type, content] = requestContent(operation) ?? [];
  const kind = type === undefined ? undefined : kinds[type];
  if (type !== undefined && !kind) throw new Error(`${operation.operationId} takes ${type}`);
  const named = (where: string) => parameterLines(operation, where);
  const body = content?.schema?.$ref;
  const parts = [
    ...named('path'),
    ...named('query'),
    ...(kind === 'csv' ? [fileType] : body === undefined ? [] : [schemaName(body)]),
  ];
  const others = named('query').length > 0 ? 'query' : 'path';
  return {
    sends: kind ?? (parts.length === 0 ? 'nothing' : others),
    request: parts.length === 0 ? 'undefined' : parts.join(' & '),
  };
}

/** @throws for an answer that no client reads */
function readAnswers({ operationId, responses }: Operation): Pick<Endpoint, 'answers' | 'answer'> {
  const [status, { content = {} } = {}] =
    Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const answers = (as: Endpoint['answers']['as']) => ({ status: Number(status), as });
  const json = content['application/json']?.schema?.$ref;
  if (json !== undefined) return { answers: answers('json'), answer: schemaName(json) };
  if (content['text/csv']) return { answers: answers('csv'), answer: 'string' };
  if (status === '204') return { answers: answers('nothing'), answer: 'undefined' };
  throw new Error(`${operationId} answers with nothing known`);
}

function parameterLines({ parameters = [] }: Operation, where: string): string[] {
  const sent = parameters.filter((each) => 'in' in each && each.in === where) as Parameter[];
  if (sent.length === 0) return [];
  const properties = sent.map(
    ({ name, description, schema }) => [name, { ...schema, description }] as const,
  );
  const required = sent.filter((each) => each.required).map(({ name }) => name);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  return [schemaType(schema, 'request')];
}

/** The problems of an operation, by code, with an example of each. */
function problemExamples(
  document: OpenApiDocument,
  { responses }: Operation,
): [code: string, example: unknown][] {
  return Object.values(responses).flatMap((answer) => {
    const shared =
      answer.$ref === undefined ? answer : document.components.responses[schemaName(answer.$ref)];
    const { examples = {} } = shared?.content?.['application/problem+json'] ?? {};
    return Object.entries(examples).map(([code, { value }]): [string, unknown] => [code, value]);
  });
}

const allProblems = (document: OpenApiDocument) =>
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ security }) => security.length > 0)
    .flatMap((operation) => problemExamples(document, operation));

const readProblemStatuses = (document: OpenApiDocument): Record<string, number> =>
  Object.fromEntries(
    allProblems(document).map(([code, example]) => [code, (example as { status: number }).status]),
  );

function fieldCodes(document: OpenApiDocument): string[] {
  const codes = allProblems(document).flatMap(([, example]) =>
    ((example as { errors?: { code: string }[] }).errors ?? []).map(({ code }) => code),
  );
  return [...new Set(codes)];
}
