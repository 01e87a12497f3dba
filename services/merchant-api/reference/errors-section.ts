import { problems, type ProblemCode } from '#shared/http/problems.ts';
import { fieldExplanations, problemExplanations } from '../openapi/explanations.ts';
import { escapeHtml, inline } from './markdown.ts';

const hyphens = (code: string) => code.replaceAll('_', '-');

export const problemAnchor = (code: string): string => `error-${hyphens(code)}`;
export const fieldAnchor = (code: string): string => `field-${hyphens(code)}`;

/** The anchor in the reference of a code as it stands in a problem's `type`, with hyphens; nothing for no code. */
export function anchorOfType(hyphenated: string): string | undefined {
  const code = hyphenated.replaceAll('-', '_');
  if (Object.hasOwn(problems, code)) return problemAnchor(code);
  return Object.hasOwn(fieldExplanations, code) ? fieldAnchor(code) : undefined;
}

/** Every code that an error can have: what it means and what to do. */
export function errorsSection(): string {
  const codes = (Object.keys(problems) as ProblemCode[]).map((code) => {
    const { status, title } = problems[code];
    const { meaning, action } = problemExplanations[code];
    return `<section id="${problemAnchor(code)}">
<h3><code>${code}</code> <small>${status}</small></h3>
<p class="summary">${escapeHtml(title)}</p>
<p>${inline(meaning)}</p>
<p>${inline(action)}</p>
</section>`;
  });
  const fields = Object.entries(fieldExplanations).map(
    ([code, meaning]) =>
      `<section id="${fieldAnchor(code)}"><h3><code>${code}</code></h3><p>${inline(meaning)}</p></section>`,
  );
  return `<h2 id="error-codes">Error codes</h2>
<p>Some belong to the gateway’s other services: the admin API, the callbacks of providers.</p>
${codes.join('\n')}
<h2 id="field-codes">Codes of single fields</h2>
<p>In <code>errors</code> of an <a href="#${problemAnchor('invalid_request')}"><code>invalid_request</code></a>.</p>
${fields.join('\n')}`;
}
