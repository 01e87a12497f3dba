import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { pathOfCode } from '#shared/platform/http/problems.ts';
import type { Language, Translations } from '#shared/platform/pages/language.ts';
import type { StackUrls } from './stack-urls.ts';
import { declineReasons } from '#shared/domain/operation/ends/decline-reason.ts';
import { declinePage, declineTable, pathOfReason, reasonOfPath } from './declines/pages.ts';
import { fieldPage, errorsPage, problemPage } from './errors/pages.ts';
import { fieldCodes, isFieldCode, isProblemCode, problemCodes } from './errors/codes.ts';
import { referencePage } from './endpoints/page.ts';
import { homePage } from './home.ts';
import { markdown, type RenderedText } from './markdown/blocks.ts';
import { codeBlock, codeTabs } from './markdown/code.ts';
import type { PageBody } from './page-body.ts';
import { amountTable } from './sandbox/amounts.ts';
import { scenarioSections } from './sandbox/section.ts';
import { createSearch, toSearchEntries } from './search/find.ts';
import { searchPage } from './search/page.ts';
import { docPath, sectionNames, docsSections, type DocsSection } from './sections.ts';
import { installCommand, readProgramPart, program, verifierCodes } from './snippets/load.ts';
import { diagram } from './statuses/diagram.ts';
import { meaningTable, transitionTable } from './statuses/tables.ts';
import { retriesTable, typesTable, webhookExample } from './webhook-sections.ts';

const guideTitle: Translations<string> = {
  ru: 'Первый платёж за десять минут',
  en: 'First payment in ten minutes',
};

/** The insertion for a line `{{name argument}}` of a page. */
const insertions: Readonly<
  Record<string, (argument: string, language: Language) => RenderedText | string>
> = {
  tabs: (argument, language) => {
    const [name = '', part = ''] = argument.split(' ');
    return codeTabs(readProgramPart(name, part), language, `${name}-${part}`);
  },
  snippet: (_, language) =>
    codeBlock({ language: 'sh', label: 'Shell', code: installCommand }, language),
  shell: (name, language) =>
    codeBlock({ language: 'sh', label: 'Shell', code: program(name, 'sh').trim() }, language),
  python: (name, language) =>
    codeBlock({ language: 'py', label: 'Python', code: program(name, 'py').trim() }, language),
  verifiers: (_, language) => codeTabs(verifierCodes(), language, 'verifier'),
  diagram: (type, language) => diagram(typeNamed(type), language),
  transitions: (type, language) => transitionTable(typeNamed(type), language),
  meanings: (_, language) => meaningTable(language),
  declines: (_, language) => declineTable(language),
  types: (_, language) => typesTable(language),
  retries: (_, language) => retriesTable(language),
  example: webhookExample,
  amounts: (type, language) => amountTable(typeNamed(type), language),
  scenarios: (_, language) => scenarioSections(language),
};

const typeNamed = (name: string) => (name === 'payout' ? 'payout' : 'payment');

function writtenPage(
  name: Exclude<DocsSection, '' | 'reference' | 'errors'>,
  language: Language,
  { gateway, admin, sandbox }: StackUrls,
): PageBody {
  const source = readFileSync(new URL(`pages/${name}.${language}.md`, import.meta.url), 'utf8');
  const { html, headings } = markdown(source, {
    language,
    values: { gateway, admin, sandbox },
    insert: (insertion, argument) => {
      const insert = insertions[insertion];
      if (!insert) throw new Error(`${name}.${language}.md: nobody knows {{${insertion}}}`);
      return insert(argument, language);
    },
  });
  const title = name === 'guide' ? guideTitle : docsSections[name];
  return { title: title[language], html, headings };
}

type Site = {
  section(name: DocsSection, language: Language): PageBody;
  /** The page behind a problem's `type`, by the code in its address; undefined for no code. */
  code(hyphenated: string, language: Language): PageBody | undefined;
  /** The page of a `decline_reason`, by its name in an address; undefined for none. */
  declineReason(hyphenated: string, language: Language): PageBody | undefined;
  /** The search results of all pages. */
  search(query: string, language: Language): Promise<PageBody>;
};

/** The documentation. Each page is rendered once in each language, and cached. */
export function createDocsSite(stackUrls: StackUrls): Site {
  const pageCache = new Map<string, PageBody>();
  const cached = (key: string, make: () => PageBody): PageBody => {
    const body = pageCache.get(key) ?? make();
    pageCache.set(key, body);
    return body;
  };
  const section: Site['section'] = (name, language) =>
    cached(`${language}/${name}`, () => {
      if (name === '') return homePage(language);
      if (name === 'reference') return referencePage(language, stackUrls);
      if (name === 'errors') return errorsPage(language);
      return writtenPage(name, language, stackUrls);
    });
  const code: Site['code'] = (hyphenated, language) => {
    const named = hyphenated.replaceAll('-', '_');
    // A page has one address.
    if (hyphenated.includes('_')) return undefined;
    if (isProblemCode(named))
      return cached(`${language}//${named}`, () => problemPage(named, language));
    return isFieldCode(named)
      ? cached(`${language}//${named}`, () => fieldPage(named, language))
      : undefined;
  };
  const declineReason: Site['declineReason'] = (hyphenated, language) => {
    const reason = reasonOfPath(hyphenated);
    return reason && cached(`${language}///${reason}`, () => declinePage(reason, language));
  };
  const searches = new Map<Language, ReturnType<typeof prepare>>();
  const prepare = async (language: Language) => {
    const search = createSearch();
    const pages = [
      ...sectionNames.map((name) => ({ path: docPath(name), make: () => section(name, language) })),
      ...[...problemCodes, ...fieldCodes].map(pathOfCode).map((path) => ({
        path,
        make: () => code(path.split('/').at(-1) ?? '', language),
      })),
      ...declineReasons.map((reason) => ({
        path: pathOfReason(reason),
        make: () => declinePage(reason, language),
      })),
    ];
    for (const { path, make } of pages) {
      const body = make();
      // Payments are answered between two parts.
      await setImmediate();
      for (const entry of body ? toSearchEntries({ path, ...body }) : []) {
        search.add(entry);
        await setImmediate();
      }
    }
    return search;
  };
  const searchIn = (language: Language) => {
    const index = searches.get(language) ?? prepare(language);
    searches.set(language, index);
    return index;
  };
  return {
    section,
    code,
    declineReason,
    search: async (query, language) => {
      const search = await searchIn(language);
      const results = search.find(query);
      const near = results.length === 0 ? search.suggest(query) : [];
      return searchPage({ query, results, near }, language);
    },
  };
}
