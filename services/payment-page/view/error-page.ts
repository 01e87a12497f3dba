import {
  problems,
  type ProblemDetails,
  type RenderProblem,
  renderProblem,
} from '#shared/platform/http/problems.ts';
import {
  errorContent,
  errorPageText,
  languageIn,
  htmlPage,
  pageHeaders,
  renderToText,
  type Preferences,
} from '#shared/platform/pages/index.ts';
import { assets } from '../assets.ts';
import { payTexts } from '../texts.ts';
import { brand } from './payment-page.ts';

/** A problem as a page, with the status and headers of its JSON. */
export function errorPage(
  problem: ProblemDetails,
  { requestId, preferences }: { requestId: string; preferences: Preferences },
): ReturnType<RenderProblem> {
  const { language, path } = preferences;
  const { status } = problems[problem.code];
  const rendered = htmlPage({
    preferences,
    title: errorPageText(language, status).title,
    styles: [assets.url('pay.css')],
    scripts: [assets.url('theme.js')],
    icon: assets.url('icon.svg'),
    top: brand(payTexts[language].product),
    width: 'narrow',
    body: errorContent(language, { status, requestId }),
  });
  const { headers } = renderProblem(problem, { path, requestId });
  return {
    status,
    headers: { ...headers, ...pageHeaders(), 'content-type': 'text/html; charset=utf-8' },
    body: renderToText(rendered),
  };
}

/** For requests that never reach the app. */
export const brokenRequestPage: RenderProblem = (problem, { path, requestId, headers }) =>
  errorPage(problem, {
    requestId,
    preferences: { language: languageIn(headers ?? {}), theme: undefined, path },
  });
