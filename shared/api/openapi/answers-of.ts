import {
  isRetryable,
  Problem,
  problems,
  renderProblem,
  type ProblemCode,
} from '#shared/platform/http/problems.ts';
import type { Endpoint } from './endpoint.ts';
import { fieldExplanations, problemExplanations } from './explanations.ts';

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

const rateLimitHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
];

/** The headers of an answer with this status. */
export function describeHeaders(endpoint: Endpoint, status: number): Record<string, unknown> {
  const refusals = endpoint.problems.filter((code) => problems[code].status === status);
  const names = [
    'X-Request-Id',
    ...(endpoint.needsKey && status !== 401 && status !== 403 ? rateLimitHeaders : []),
    ...(refusals.length > 0 && refusals.every(isRetryable) ? ['Retry-After'] : []),
    ...(endpoint.answer.replayed && (status === endpoint.answer.status || status === 422)
      ? ['Idempotent-Replayed']
      : []),
  ];
  return Object.fromEntries(names.map((name) => [name, header(name)]));
}

export type SharedAnswers = {
  /**
   * A reference to the answer where another endpoint has the very same one under this name, else
   * the answer.
   */
  share(name: string, answer: object): object;
  all(): Record<string, object>;
};

/** Answers that several endpoints have, once in the document. */
export function createSharedAnswers(): SharedAnswers {
  const named = new Map<string, object>();
  return {
    share: (name, answer) => {
      const shared = named.get(name) ?? answer;
      if (JSON.stringify(shared) !== JSON.stringify(answer)) return answer;
      named.set(name, answer);
      return { $ref: `#/components/responses/${name}` };
    },
    all: () => Object.fromEntries(named),
  };
}

/**
 * The error answers of an endpoint, one a status, each with every code that it can have and an
 * example of it.
 */
export function errorAnswers(
  endpoint: Endpoint,
  { schema, shared, gateway }: { schema: { $ref: string }; shared: SharedAnswers; gateway: string },
): Record<string, object> {
  const byStatus = Map.groupBy(endpoint.problems, (code) => problems[code].status);
  const answers = [...byStatus].toSorted(([left], [right]) => left - right);
  return Object.fromEntries(
    answers.map(([status, codes]) => {
      const answer = {
        description: codes.map((code) => describe(code, endpoint)).join('\n'),
        headers: describeHeaders(endpoint, status),
        content: {
          'application/problem+json': {
            schema,
            examples: Object.fromEntries(
              codes.map((code) => [code, problemExample(code, endpoint, gateway)]),
            ),
          },
        },
      };
      return [String(status), shared.share([status, ...codes].join('-'), answer)];
    }),
  );
}

function describe(code: ProblemCode, { fields = [] }: Endpoint): string {
  const line = `- \`${code}\`: ${problemExplanations[code].meaning}`;
  if (code !== 'invalid_request' || fields.length === 0) return line;
  const codes = [...new Set(fields.map(([field]) => field))];
  return [line, ...codes.map((field) => `  - \`${field}\`: ${fieldExplanations[field]}`)].join(
    '\n',
  );
}

/** The very body that the gateway sends, to one of the paths that can have it. */
function problemExample(code: ProblemCode, { fields = [] }: Endpoint, gateway: string) {
  const errors = fields.map(([field, pointer]) => ({
    pointer,
    code: field,
    detail: fieldExplanations[field],
  }));
  const problem = new Problem(code, {
    ...(code === 'invalid_request' && { errors }),
    ...(problems[code].status === 422 && {
      members: { operation_id: '0f8fad5b-d9cb-869f-a165-70867728950e' },
    }),
  });
  const request = {
    path: '/v1/payment',
    requestId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    gateway,
  };
  return {
    summary: problems[code].title,
    value: JSON.parse(renderProblem(problem, request).body) as unknown,
  };
}
