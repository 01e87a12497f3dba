import { problems, type Problem, type ProblemCode } from '#shared/platform/http/problems.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import type { View } from './components.ts';
import type { PageStatus } from './frame.ts';
import type { Words } from './words.ts';

type Explained = { title: Words; text: Words };

/** A service's own explanations; other problems have the same text everywhere. */
export type ProblemTexts = Partial<Record<ProblemCode, Explained>> & { notFound: Explained };

const other: Explained = {
  title: { ru: 'Запрос не выполнен', en: 'Request failed' },
  text: { ru: 'Ответ шлюза:', en: 'The gateway answered:' },
};

/** A problem as a page: the same problems that the APIs answer with, and where to go from there. */
export function problemContent(
  { t }: Pick<View, 't'>,
  problem: Problem,
  { texts, requestId, links }: { texts: ProblemTexts; requestId: string; links: Html },
): { status: PageStatus; title: string; headers: [string, string][]; body: Html } {
  const { status } = problems[problem.code];
  const { title, text } = texts[problem.code] ?? (status === 404 ? texts.notFound : other);
  const answer = html`<p lang="en">${problem.detail}</p>
    <p><code>${problem.code}</code> · <code>${requestId}</code></p>`;
  return {
    status: status as PageStatus,
    title: t(title),
    headers: [...Object.entries(problem.headers), ...(status === 503 ? [retrySoon] : [])],
    body: html`<div class="stack measure">
      <h1>${t(title)}</h1>
      <p>${t(text)}</p>
      ${status === 404 ? '' : notice('danger', answer)}
      <p>${links}</p>
    </div>`,
  };
}

const retrySoon: [string, string] = ['retry-after', '1'];
