import {
  problemHeaders,
  problems,
  type ProblemDetails,
  type ProblemCode,
} from '#shared/platform/http/problems.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';
import { refusalWords } from './refusals.ts';
import type { Words } from '#shared/application/pages/translations.ts';

/** The HTTP statuses of pages. */
export type PageStatus = 200 | 400 | 401 | 403 | 404 | 409 | 412 | 429 | 500 | 503;

type ProblemExplanation = { title: Words; text: Words };

/** A service's own explanations; other problems have the same text everywhere. */
export type ProblemTexts = Partial<Record<ProblemCode, ProblemExplanation>> & {
  notFound: ProblemExplanation;
};

const failed: Words = { ru: 'Запрос не выполнен', en: 'Request failed' };

/** Refusals that no role would change. */
const foreignForms: Readonly<Record<string, Words>> = {
  'the form does not belong to this session': {
    ru: 'Форма не из этого сеанса',
    en: 'The form is not of this session',
  },
  'the request comes from another site': {
    ru: 'Форма пришла с другого сайта',
    en: 'The form comes from another site',
  },
};
const openAgain: Words = {
  ru: 'Откройте страницу заново и отправьте форму ещё раз.',
  en: 'Open the page again, and send the form once more.',
};

function explainProblem({ code, detail }: ProblemDetails, texts: ProblemTexts): ProblemExplanation {
  const foreign = foreignForms[detail];
  if (foreign) return { title: foreign, text: openAgain };
  return (
    texts[code] ??
    (problems[code].status === 404 ? texts.notFound : { title: failed, text: refusalWords(code) })
  );
}

type ProblemPageInput = {
  texts: ProblemTexts;
  requestId: string;
  links: Html;
  /** For operators: the detail of the API, in English. */
  details?: boolean;
};

/** A problem of the APIs as a page, with links to go on from there. */
export function problemContent(
  { t }: Pick<View, 't'>,
  problem: ProblemDetails,
  { texts, requestId, links, details = false }: ProblemPageInput,
): { status: PageStatus; title: string; headers: Record<string, string>; body: Html } {
  const { status } = problems[problem.code];
  const { title, text } = explainProblem(problem, texts);
  const answer = html`${details && html`<p lang="en">${problem.detail}</p>`}
    <p><code>${problem.code}</code> · <code>${requestId}</code></p>`;
  return {
    status: status as PageStatus,
    title: t(title),
    headers: problemHeaders(problem),
    body: html`<div class="stack measure">
      <h1>${t(title)}</h1>
      <p>${t(text)}</p>
      ${status !== 404 && notice('danger', answer)}
      <p>${links}</p>
    </div>`,
  };
}
