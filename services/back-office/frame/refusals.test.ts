import { expect, it } from 'vitest';
import { z } from 'zod';
import { readApiKeyBody } from '#shared/application/directory/api-key-body.ts';
import {
  endpointDescription,
  endpointUrl,
  refuseEndpointUrl,
} from '#shared/application/webhooks/endpoint-settings.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { Problem, problems, type ProblemCode } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { html, renderToText, type Html } from '#shared/platform/pages/html.ts';
import type { View } from './components.ts';
import { explainFault } from './faults.ts';
import { toFaults, sayFaults, type Field } from './form-fields.ts';
import { problemContent, type ProblemTexts } from './problem-page.ts';

const russian: Pick<View, 't'> = { t: ({ ru }) => ru };
const english: Pick<View, 't'> = { t: ({ en }) => en };
const notFound = { title: { ru: 'Нет', en: 'None' }, text: { ru: 'Нет.', en: 'None.' } };
const texts: ProblemTexts = { notFound };
const detail = 'a text of the API';

const pageOf = (view: Pick<View, 't'>, problem: Problem, pageTexts: ProblemTexts = texts): Html =>
  problemContent(view, problem, { texts: pageTexts, requestId: 'r-1', links: html`` }).body;

/** Without code spans: names of codes and request ids are not translated. */
const words = (text: Html): string =>
  renderToText(text)
    .replaceAll(/<code[^>]*>.*?<\/code>/g, '')
    .replaceAll(/<[^>]*>/g, ' ');

it.each(Object.keys(problems) as ProblemCode[])(
  'renders %s in the reader’s language, as a page and above a form',
  (code) => {
    const problem = new Problem(code, { detail });
    const page = pageOf(russian, problem);
    expect(words(page)).not.toMatch(/[A-Za-z]{4,}/);
    expect(words(page)).toMatch(/[а-яё]{3,}/i);
    const form = sayFaults(russian, [], toFaults(problem, { requestId: 'r-1' }));
    expect(words(form)).not.toMatch(/[A-Za-z]{4,}/);
    expect(words(pageOf(english, problem))).not.toMatch(/[а-яё]/i);
  },
);

it('includes the detail of the API if requested', () => {
  const problem = new Problem('review_not_allowed', { detail });
  const options = { texts, requestId: 'r-1', links: html``, details: true };
  expect(renderToText(problemContent(russian, problem, options).body)).toContain(detail);
  const faults = toFaults(problem, { requestId: 'r-1', details: true });
  expect(renderToText(sayFaults(russian, [], faults))).toContain(detail);
});

it('reports a form of another session or site as such, not as a missing role', () => {
  for (const sent of [
    'the form does not belong to this session',
    'the request comes from another site',
  ]) {
    const forbidden = { title: { ru: 'Роль', en: 'Role' }, text: { ru: 'Роль.', en: 'Role.' } };
    const page = pageOf(russian, new Problem('forbidden', { detail: sent }), {
      ...texts,
      forbidden,
    });
    expect(words(page)).toContain('Откройте страницу заново');
    expect(words(page)).not.toContain('Роль');
  }
});

const refusedOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error.errors ?? [];
  }
  throw new Error('was not refused');
};
const key = (more: object) => () =>
  readApiKeyBody({ label: 'a', ...more }, Date.parse('2026-01-31T12:00:00Z'));
const name = (text: string) => () => validate(z.strictObject({ name: nameText }), { name: text });
const url = (text: string) => () => {
  validate(z.strictObject({ url: endpointUrl }), { url: text });
  refuseEndpointUrl(text, { allowPrivate: false });
};

it('names the faulty entry of a list as it was typed', () => {
  const field: Field = {
    name: 'allowed_ips',
    label: { ru: 'Адреса', en: 'Addresses' },
    kind: 'long',
    entries: (value) => value.split('\n'),
  };
  const errors = refusedOf(key({ allowed_ips: ['10.0.0.0/8', '10.0.0.0/40'] }));
  const values = { allowed_ips: '10.0.0.0/8\n10.0.0.0/40' };
  const summary = renderToText(sayFaults(english, [field], { errors }, values));
  expect(summary).toContain('<code>10.0.0.0/40</code>: must be addresses or ranges');
  expect(summary).not.toContain('/allowed_ips/1');
});

it.each([
  ['an empty name', name('')],
  ['a long name', name('a'.repeat(201))],
  ['two lines', name('a\nb')],
  ['a lone surrogate', name('\ud800')],
  ['an invalid time', key({ expires_at: 'soonZ' })],
  ['an invalid address', key({ allowed_ips: ['soon'] })],
  ['too many addresses', key({ allowed_ips: Array.from({ length: 51 }, () => '1.1.1.1/32') })],
  ['an unknown scope', key({ scopes: ['all'] })],
  ['no scope', key({ scopes: [] })],
  ['a time that has passed', key({ expires_at: '2026-01-31T11:59:59Z' })],
  ['an invalid URL', url('soon')],
  ['an empty URL', url('')],
  ['a long URL', url(`https://a.example/${'a'.repeat(2048)}`)],
  ['a URL with a blank', url('https://a.example/ b')],
  ['http:', url('http://a.example/')],
  ['a password', url('https://a:b@a.example/')],
  ['a private address', url('https://127.0.0.1/')],
  [
    'a long description',
    () => validate(z.strictObject({ d: endpointDescription }), { d: 'a'.repeat(201) }),
  ],
])('explains %s in the reader’s language', (_, run) => {
  for (const fault of refusedOf(run)) {
    expect(renderToText(explainFault(russian, fault))).not.toContain('lang="en"');
    expect(renderToText(explainFault(russian, fault))).toMatch(/[а-яё]{3,}/);
    expect(renderToText(explainFault(english, fault))).not.toMatch(/[а-яё]/i);
  }
});
