import { problems, type ProblemCode } from '#shared/platform/http/problems.ts';
import type { Language } from '#shared/platform/pages/language.ts';
import type { Endpoint } from '#shared/api/openapi/endpoint.ts';
import {
  fieldExplanations,
  problemExplanations,
  type FieldCode,
} from '#shared/api/openapi/explanations.ts';
import { russianFields, russianProblems } from './russian.ts';

export const problemCodes = Object.keys(problems) as ProblemCode[];
export const fieldCodes = Object.keys(fieldExplanations) as FieldCode[];

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code);
export const isFieldCode = (code: string): code is FieldCode =>
  Object.hasOwn(fieldExplanations, code);

/** The name, meaning and remedy of a problem, in the reader's language. */
export function explain(
  code: ProblemCode,
  language: Language,
): { title: string; meaning: string; action: string } {
  return language === 'ru'
    ? russianProblems[code]
    : { title: problems[code].title, ...problemExplanations[code] };
}

export const explainField = (code: FieldCode, language: Language): string =>
  language === 'ru' ? russianFields[code] : fieldExplanations[code];

/**
 * The endpoints that can answer with it; none: it belongs to another service, or to no endpoint.
 */
export const endpointsWith = (
  code: ProblemCode | FieldCode,
  endpoints: readonly Endpoint[],
): readonly Endpoint[] =>
  endpoints.filter(
    ({ problems: listed, fields = [] }) =>
      (listed as readonly string[]).includes(code) || fields.some(([field]) => field === code),
  );
