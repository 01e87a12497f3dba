import type { Values } from './visitor.ts';

/** A control of the page's own form, which comes after the form in the bar. */
type Control = { tag: string; name: string; type: string; value: string; options: string[] };

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&quot;', '"');

function controlsOf(page: string): Control[] {
  const form = page.slice(page.lastIndexOf('<form class="card'));
  const all = form.matchAll(
    /<(input|select|textarea)\b[^>]*>((?<=<(?:select|textarea)\b[^>]*>).*?<\/(?:select|textarea)>)?/g,
  );
  return [...all].flatMap(([whole, tag = '', inner = '']) => {
    const open = whole.slice(0, whole.indexOf('>') + 1);
    const name = attribute(open, 'name');
    if (name === undefined) return [];
    const options = [...inner.matchAll(/<option value="([^"]*)"/g)].map(([, value = '']) => value);
    const value =
      tag === 'textarea'
        ? inner.replace('</textarea>', '')
        : (attribute(open, 'value') ?? /<option value="([^"]*)" selected/.exec(inner)?.[1] ?? '');
    const checked = /\schecked/.test(open);
    const type = attribute(open, 'type') ?? 'text';
    if (type === 'radio')
      return [{ tag, name, type, value: checked ? value : '', options: [value] }];
    return [{ tag, name, type, value: type === 'checkbox' && !checked ? '' : value, options }];
  });
}

/** A value for every control of a form; texts exceed every limit. */
export function overlongValues(page: string): Values {
  const typed = controlsOf(page).flatMap(({ tag, name, type, value, options }) => {
    if (type === 'file') return [];
    if (type === 'hidden') return [[name, value]];
    if (tag === 'select' || type === 'radio') return [[name, options.at(-1) ?? '']];
    if (type === 'checkbox') return [[name, value === '' ? 'on' : '']];
    if (type === 'date') return [[name, '2020-01-02']];
    if (type === 'datetime-local') return [[name, '2020-01-02T03:04:05']];
    return [[name, `typed ${name} ${'x'.repeat(3_000)}`]];
  });
  // An unchecked checkbox is not sent.
  return Object.fromEntries(typed.filter(([, value]) => value !== ''));
}

/** The names whose typed values the page has lost; secrets are never shown again. */
export function lostValues(page: string, typed: Values): string[] {
  const current = controlsOf(page).filter(({ type, value }) => type !== 'radio' || value !== '');
  const controls = new Map(current.map((each) => [each.name, each]));
  return Object.entries(typed)
    .filter(([name]) => !['form_token', 'once', 'confirmed'].includes(name))
    .filter(([name, value]) => {
      const control = controls.get(name);
      return control?.type !== 'password' && control?.value !== value;
    })
    .map(([name]) => name);
}
