import { readFileSync } from 'node:fs';
import type { Language, Translated } from '#shared/pages/language.ts';
import { fieldPage, errorsPage, problemPage } from './errors/pages.ts';
import { isFieldCode, isProblemCode } from './errors/codes.ts';
import { referencePage } from './endpoints/page.ts';
import { homePage } from './home.ts';
import { markdown, type Rendered } from './markdown/blocks.ts';
import { codeBlock, codeTabs } from './markdown/code.ts';
import type { PageBody } from './page-body.ts';
import { amountTable } from './sandbox/amounts.ts';
import { scenarioSections } from './sandbox/section.ts';
import type { Section } from './sections.ts';
import { installCommand, partOf, verifierCodes } from './snippets/load.ts';
import { diagram } from './statuses/diagram.ts';
import { meaningTable, transitionTable } from './statuses/tables.ts';
import { retriesTable, typesTable, webhookExample } from './webhooks-parts.ts';

const titles = {
  guide: { ru: 'Первый платёж за десять минут', en: 'First payment in ten minutes' },
  statuses: { ru: 'Статусы', en: 'Statuses' },
  webhooks: { ru: 'Вебхуки', en: 'Webhooks' },
  sandbox: { ru: 'Песочница', en: 'Sandbox' },
} as const satisfies Partial<Record<Section, Translated<string>>>;

/** What a line `{{name argument}}` of a page stands for. */
const insertions: Readonly<Record<string, (argument: string, language: Language) => Rendered | string>> = {
  tabs: (argument, language) => {
    const [name = '', part = ''] = argument.split(' ');
    return codeTabs(partOf(name, part), language, `${name}-${part}`);
  },
  snippet: (_, language) => codeBlock({ language: 'sh', label: 'Shell', code: installCommand }, language),
  verifiers: (_, language) => codeTabs(verifierCodes(), language, 'verifier'),
  diagram: (type, language) => diagram(typeNamed(type), language),
  transitions: (type, language) => transitionTable(typeNamed(type), language),
  meanings: (_, language) => meaningTable(language),
  types: (_, language) => typesTable(language),
  retries: (_, language) => retriesTable(language),
  example: webhookExample,
  amounts: (type, language) => amountTable(typeNamed(type), language),
  scenarios: (_, language) => scenarioSections(language),
};

const typeNamed = (name: string) => (name === 'payout' ? 'payout' : 'payment');

function writtenPage(name: keyof typeof titles, language: Language, gateway: string): PageBody {
  const source = readFileSync(new URL(`pages/${name}.${language}.md`, import.meta.url), 'utf8');
  const { html, headings } = markdown(source, {
    language,
    values: { gateway },
    insert: (insertion, argument) => {
      const insert = insertions[insertion];
      if (!insert) throw new Error(`${name}.${language}.md: nobody knows {{${insertion}}}`);
      return insert(argument, language);
    },
  });
  return { title: titles[name][language], html, headings };
}

export type Site = {
  section(name: Section, language: Language): PageBody;
  /** The page behind a problem's `type`, by the code in its address; nothing for no code. */
  code(hyphenated: string, language: Language): PageBody | undefined;
};

/** The documentation. Each page is made once in each language, and kept. `gateway`: where merchants reach it. */
export function createSite({ gateway }: { gateway: string }): Site {
  const kept = new Map<string, PageBody>();
  const keep = (key: string, make: () => PageBody): PageBody => {
    const body = kept.get(key) ?? make();
    kept.set(key, body);
    return body;
  };
  return {
    section: (name, language) =>
      keep(`${language}/${name}`, () => {
        if (name === '') return homePage(language);
        if (name === 'reference') return referencePage(language);
        if (name === 'errors') return errorsPage(language);
        return writtenPage(name, language, gateway);
      }),
    code: (hyphenated, language) => {
      const code = hyphenated.replaceAll('-', '_');
      // A page has one address.
      if (hyphenated.includes('_')) return undefined;
      if (isProblemCode(code)) return keep(`${language}//${code}`, () => problemPage(code, language));
      return isFieldCode(code) ? keep(`${language}//${code}`, () => fieldPage(code, language)) : undefined;
    },
  };
}
