import { problems, type ProblemCode } from '#shared/platform/http/problems.ts';
import type { RawExchange, RawAnswer } from './raw-client.ts';

/**
 * The form of errors on a port: problem documents, pages for people, or pages except for the API.
 */
export type AnswerForm = 'problem' | 'page' | 'mixed';

/** What no answer contains, whatever is requested. */
const internals =
  /node_modules|at [\w.<>]+ \(|\.ts:\d|SQLITE|ECONNREFUSED|select .* from |relation "|syntax error|<pre>Error/i;

/** Why an exchange breaks the rules of hostile input (R2.10); undefined if it keeps them. */
export function judgeExchange(
  { end, answers }: Omit<RawExchange, 'ms'>,
  form: AnswerForm,
): string | undefined {
  if (end === 'hang') return 'neither answered nor closed in time';
  for (const answer of answers) {
    const fault = judgeAnswer(answer, form);
    if (fault !== undefined) return `${answer.status}: ${fault}`;
  }
  return undefined;
}

function judgeAnswer({ status, headers, body }: RawAnswer, form: AnswerForm): string | undefined {
  if (status < 400) return status < 200 && status !== 100 ? 'not a final answer' : undefined;
  const type = headers.get('content-type') ?? '';
  if (status > 500 && status !== 503) return 'a 5xx';
  if (internals.test(body)) return 'shows internals';
  const isPage = type.startsWith('text/html');
  if (isPage && form === 'problem') return 'a page, where programs ask';
  if (isPage) return status === 500 ? 'a 5xx' : undefined;
  if (form === 'page') return `people are answered with ${type}`;
  if (type !== 'application/problem+json') return `no problem document, but "${type}"`;
  // The answer to HEAD has no body.
  return body === '' ? (status === 500 ? 'a 5xx' : undefined) : judgeProblem(status, headers, body);
}

function judgeProblem(
  status: number,
  headers: RawAnswer['headers'],
  body: string,
): string | undefined {
  const problem = JSON.parse(body) as {
    code?: string;
    status?: number;
    request_id?: string;
    errors?: object[];
  };
  const known = Object.hasOwn(problems, problem.code ?? '')
    ? problems[problem.code as ProblemCode]
    : undefined;
  if (!known) return `the code ${problem.code} is not one`;
  if (known.status !== status || problem.status !== status)
    return `the code ${problem.code} has another status`;
  if (status === 500) return `a 5xx: ${problem.code}`;
  if (status === 503 && !headers.has('retry-after')) return 'a 503 without Retry-After';
  if (!(problem.errors ?? []).every(isFieldError))
    return 'an error of a field without a pointer or a code';
  if (headers.get('x-request-id') !== problem.request_id) return 'another request id in the body';
  return undefined;
}

function isFieldError(error: object): boolean {
  const { pointer, code, detail } = error as Record<string, unknown>;
  return (
    [pointer, code, detail].every((text) => typeof text === 'string') &&
    /^[a-z_]+$/.test(String(code))
  );
}
