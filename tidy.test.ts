import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendsInServices } from '#infra/verify/tidy/appends.ts';
import { deadExports, longComments } from '#infra/verify/tidy/code.ts';
import {
  findAnchors,
  findLinks,
  picturesShown,
  programsForNode,
  programsNamed,
  withoutCode,
} from '#infra/verify/tidy/documents.ts';
import { importsAgainst } from '#infra/verify/tidy/imports.ts';
import {
  findOfNames,
  namesOfSeveralExports,
  typesNamedByParticiple,
} from '#infra/verify/tidy/names.ts';
import { rulesIn, rulesTested } from '#infra/verify/tidy/rules.ts';
import { listFiles, readTexts } from '#infra/verify/tidy/tree.ts';
import { activityCsv } from '#projections/csv/activity.ts';
import { balancesCsv } from '#projections/csv/balances.ts';
import { journalCsv } from '#projections/csv/journal.ts';
import { operationsCsv } from '#projections/csv/operations.ts';
import { requestTexts } from '#shared/domain/operation/fields/request.ts';
import { statementFindingsCsv, statementsCsv } from '#projections/csv/provider-statements.ts';
import { deliveriesCsv } from '#projections/csv/webhook-deliveries.ts';
import { describeSettings, settingsReferenceFile } from '#infra/verify/shop-settings/reference.ts';
import { describeSchema } from '#projections/reference.ts';
import { readModels } from '#projections/registry.ts';
import { views } from '#projections/views/registry.ts';
import { rolesByRoute } from '#services/back-office/api/roles.ts';
import { optionsSchema } from '#services/sandbox-provider/attempt/options.ts';
import { behaviourSchema } from '#examples/bank/simulator/behaviour.ts';
import { ruleCodes } from '#shared/domain/audit/rules.ts';
import { methodNames } from '#shared/domain/methods/index.ts';
import { variables } from '#shared/platform/config/variables.ts';

// Checks of the whole tree: code, documents, and whether they agree. The tree is read once. The
// linter checks the length of functions.
const paths = listFiles();
const files = new Set(paths);
const texts = readTexts(paths);
const documents = texts.filter(({ path }) => path.endsWith('.md'));
// Without the compiler's output.
const code = texts.filter(
  ({ path }) => /\.(?:ts|js|mjs)$/.test(path) && !path.startsWith('clients/typescript/compiled/'),
);
const links = documents.flatMap(findLinks);
const textOf = (path: string) => texts.find((file) => file.path === path)?.text ?? '';
const linesOf = (text: string) => text.split('\n');

/** Where the pattern matches, as `path: match`. */
const matches = (pattern: RegExp, counts: (match: string) => boolean = () => true) =>
  texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => counts(match))
      .map(([match]) => `${path}: ${match}`),
  );

describe('replaced words stay out', () => {
  // One line for each word that was replaced for good.
  it.each([
    // Sections of a document outside of the repository: rules are numbered in docs/rules.md.
    /\u00a7/g,
    /\b(?:contract|specification)[\s*/(]+\d/gi,
    // Identifiers that were replaced by the terms of the field.
    /\bStoreAway\b|\bisStoreAway\b|\bstore-away\b/g,
    /\btoldAt\b/g,
    /\bgoOn\b|\btoldOf\b/g,
    /\bgoesBy\b/g,
    /\blessReturns\b/g,
    /\bpassedOver\b|\bpassOver\b/g,
    /\buntraced\b|\bUntracedStep\b/g,
    /\bgoneOnFrom\b/g,
    /\bbreatheEveryMs\b|\bbreathMs\b|\btakeUp\b|\btakeUpAppended\b|\btakeUpOlder\b/g,
    /\blooksAfterPost\b|\blooksForKey\b|\blookEveryMs\b|\blooksPerDeadline\b/g,
    /\bnewsMs\b/g,
    /\baccuse\b|\bputAllAside\b|\b[dD]ossiers?\b|\bstandings\b/g,
    /\b(?:max)?[iI]nVain\b/g,
    /\basKept\b|\bopensNow\b/g,
    /\bcreateInTurn\b|\bin-turn\b/g,
    /\bwokenUp\b/g,
    /\blearn\(|\btend\(/g,
    /\baroundOf\b|\baroundVariables\b|\bdemoAround\b/g,
    /\btoldApart\b|\btold-apart\b|\btold apart\b/g,
    /\bentriesStand\b|\bstandsInLog\b/g,
    /\b[bB]ooksFirst\b|\bcreateBooksFirst\b|\bbooks-first\b/g,
    /\bstepsOwed\b|\bentriesOwed\b|\bOwedEntry\b|\bowesWebhook\b|\bowedSince\b|\bnewsIso\b/g,
    /\bnobodys/g,
    /\bGivenBody\b|\bnothingTaken\b|\btakenUpTo\b|\bOwedMessage\b|\breadOwing\b/g,
    /\blookAtBus\b|\blookOrWarn\b|\btellOvercharge\b|\btellsAgain\b|\basksForHelp\b|\bkeptOrNew\b/g,
    /\bsayWhatHappens\b|\bcreateSetAside\b|\bsetUnexploredAside\b|\bletGoAfter\b/g,
    /\bBlameEntry\b|\bblame\(/g,
    /\bcreateArrivals\b|\bArrivalLimits\b|\bcreatePlaces\b|\bofOneShop\b|\bfilesComing\b|\bhasArrived\b/g,
  ])('%s', (word) => {
    expect(matches(word)).toEqual([]);
  });

  // Synonyms on pages and in documents: docs/glossary.md has the terms to use.
  it.each([
    /\b[uU]nmatched money\b|[П]оздние деньги/g,
    /\bAwaiting receipt\b|[Ж]дёт чек'/g,
    /\bWaiting for review\b|[Ж]дут проверки/g,
    /\b[nN]egative balance\b|[О]трицательный баланс/g,
    /\bOrder number\b|\bMerchant[’']s ID\b|\bmerchant’s IDs\b|\bYour ID\b|[Нн]омер (?:заказа|у мерчанта)|[В]аш номер'/g,
    /\bPayment number\b|[Н]омер платежа/g,
    /\b[fF]ailed webhooks?\b|\bWebhooks failed\b/g,
  ])('%s', (label) => {
    expect(matches(label).filter((match) => !match.startsWith('CHANGELOG.md:'))).toEqual([]);
  });
});

describe('code', () => {
  it('has no comment beyond 100 columns', () => {
    expect(code.flatMap(longComments)).toEqual([]);
  });

  it('imports in the directions that `infra/verify/tidy/imports.ts` lists', () => {
    expect(importsAgainst(code)).toEqual([]);
  });

  it('of services appends to the event store only by use cases of `shared/application`', () => {
    expect(appendsInServices(code)).toEqual([]);
  });

  it('exports nothing that no other file uses', () => {
    // Merchants import from the clients.
    const dead = deadExports(code).filter((found) => !found.startsWith('clients/'));
    expect(dead).toEqual([]);
  });

  it('names functions by what they do or hold, types by nouns, and one thing by one name', () => {
    expect(findOfNames(code)).toEqual([]);
    expect(typesNamedByParticiple(code)).toEqual([]);
    expect(namesOfSeveralExports(code)).toEqual([]);
  });

  it('of the product names payment methods only in their table', () => {
    const product = /^(?:shared|services|projections|infra|examples)\/.*\.(?:ts|js|mjs|sh|py|css)$/;
    // Tests and their helpers, verification, and examples for readers.
    const exempt =
      /\.test\.ts$|\/testing\/|^infra\/(?:verify|lab)\/|^shared\/domain\/methods\/table\.ts$|^services\/documentation\/snippets\//;
    const shipped = texts.filter(({ path }) => product.test(path) && !exempt.test(path));
    expect(shipped.length).toBeGreaterThan(500);
    const naming = shipped.filter(({ text }) => methodNames.some((name) => text.includes(name)));
    expect(naming.map(({ path }) => path)).toEqual([]);
  });
});

describe('docs/rules.md', () => {
  const rules = rulesIn(textOf('docs/rules.md'));

  it('has its numbers in order, each once', () => {
    expect(rules.length).toBeGreaterThan(200);
    const order = rules.map(({ chapter, number }) => chapter * 1_000 + number);
    expect(order).toEqual([...new Set(order)].toSorted((a, b) => a - b));
  });

  it('has no rule without a test whose title names it', () => {
    const tested = rulesTested(code);
    expect(rules.filter(({ name }) => !tested.has(name)).map(({ name }) => name)).toEqual([]);
  });

  it('has every number that code and documents use', () => {
    const known = new Set(rules.map(({ name }) => name));
    expect(matches(/\bR\d+\.\d+\b/g, (name) => !known.has(name))).toEqual([]);
  });
});

describe('documents', () => {
  it('link to files that exist', () => {
    // A folder exists if a file is below it.
    const folders = new Set(paths.map((path) => posix.dirname(path)));
    for (const folder of folders) folders.add(posix.dirname(folder));
    const exists = (target: string) =>
      files.has(target) || folders.has(target.replace(/\/$/, '')) || target.startsWith('.');
    const dead = links.filter(({ target }) => !exists(target));
    expect(dead.map(({ from, target }) => `${from}: ${target}`)).toEqual([]);
  });

  it('link to headings that exist', () => {
    const anchors = new Map(documents.map((document) => [document.path, findAnchors(document)]));
    const dead = links.filter(
      ({ target, anchor }) => anchor !== undefined && anchors.get(target)?.has(anchor) === false,
    );
    expect(dead.map(({ from, target, anchor }) => `${from}: ${target}#${anchor}`)).toEqual([]);
  });

  it('name programs that exist', () => {
    const named = documents.flatMap((document) =>
      programsNamed(document).map((program) => ({ program, from: document.path })),
    );
    expect(named.length).toBeGreaterThan(20);
    const dead = named.filter(
      ({ program }) => !code.some(({ path }) => `/${path}`.endsWith(`/${program}`)),
    );
    expect(dead.map(({ from, program }) => `${from}: ${program}`)).toEqual([]);
  });

  it('and comments run programs with the Node of `npm ci`: `npx node`, not `node`', () => {
    const wrong = [...documents, ...code].flatMap((file) =>
      programsForNode(file)
        .filter((program) => files.has(program))
        .map((program) => `${file.path}: node ${program}`),
    );
    expect(wrong).toEqual([]);
  });

  it('below docs/ are each in the index of their folder, and every folder has one', () => {
    const indexOf = (path: string) => {
      const folder = posix.dirname(path);
      return posix.basename(path) === 'README.md'
        ? posix.join(folder, '..', 'README.md')
        : `${folder}/README.md`;
    };
    const pages = documents.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(pages.length).toBeGreaterThan(40);
    const listed = new Set(links.map(({ from, target }) => `${from} ${target}`));
    expect(pages.filter((path) => !listed.has(`${indexOf(path)} ${path}`))).toEqual([]);
    const folders = new Set(pages.map((path) => posix.dirname(path)));
    expect([...folders].filter((folder) => !files.has(`${folder}/README.md`))).toEqual([]);
  });

  it('begin with a short README.md', () => {
    const { length } = linesOf(textOf('README.md'));
    expect(length).toBeGreaterThan(20);
    expect(length).toBeLessThan(120);
  });

  it('have narrow tables; long texts are lists', () => {
    // Generated tables of measurements, and pages that are read in a browser.
    const exempt =
      /^docs\/measurements\/(?:capacity|journeys)\.md$|^services\/documentation\/pages\//;
    const longest = (row: string) =>
      Math.max(...row.split(/(?<!\\)\|/).map((cell) => cell.trim().length));
    const wide = documents
      .filter(({ path }) => !exempt.test(path))
      .flatMap(({ path, text }) =>
        linesOf(withoutCode(text))
          .filter((line) => line.startsWith('|') && (line.length > 120 || longest(line) > 60))
          .map((line) => `${path}: ${line}`),
      );
    expect(wide).toEqual([]);
  });

  it('of decisions have a date', () => {
    const undated = documents.filter(
      ({ path, text }) =>
        /^docs\/decisions\/(?!README)/.test(path) &&
        !/^_Decided on \d{4}-\d{2}-\d{2}\._$/.test(linesOf(text)[2] ?? ''),
    );
    expect(undated.map(({ path }) => path)).toEqual([]);
  });

  it('show every picture', () => {
    const pictures = paths.filter((path) => /^docs\/images\/.*\.(?:webp|svg)$/.test(path));
    expect(pictures.length).toBeGreaterThan(0);
    const shown = picturesShown(documents);
    expect(pictures.filter((path) => !shown.has(path.slice('docs/images/'.length)))).toEqual([]);
  });
});

/** What the pattern's groups capture in a file. */
const captured = (path: string, pattern: RegExp) =>
  [...textOf(path).matchAll(pattern)].map(([, ...groups]) => groups.join(': '));

/** The names that a text does not have in code marks. */
const missingIn = (text: string, names: readonly string[]) =>
  names.filter((name) => !text.includes(`\`${name}\``));

describe('documents and code agree', () => {
  it('on every variable, in docs/operators/operations.md', () => {
    const [environment = ''] = captured(
      'docs/operators/operations.md',
      /^## Environment\n([^]*?)^## /gm,
    );
    expect(missingIn(environment, Object.keys(variables))).toEqual([]);
  });

  it('on how every key and secret is changed, in docs/operators/keys.md', () => {
    const withPassword = ['EVENT_STORE_URL', 'DATABASE_URL', 'NATS_URL'];
    const secrets = Object.keys(variables).filter(
      (name) => /TOKEN|SECRET|KEY|HEADERS/.test(name) || withPassword.includes(name),
    );
    expect(secrets).toEqual(expect.arrayContaining(['ADMIN_TOKEN', ...withPassword]));
    expect(missingIn(textOf('docs/operators/keys.md'), secrets)).toEqual([]);
  });

  it('on every route of the admin API and its roles, in docs/operators/admin-api.md', () => {
    const letters = { admin: 'a', operator: 'o', auditor: 'i' } as const;
    const route = /^- `((?:GET|POST|PUT|PATCH|DELETE) \S+)` \(([aoi ]+)\):/gm;
    const expected = Object.entries(rolesByRoute).map(
      ([path, roles]) => `${path}: ${roles.map((role) => letters[role]).join(' ')}`,
    );
    const documented = captured('docs/operators/admin-api.md', route);
    expect(documented.toSorted()).toEqual(expected.toSorted());
  });

  it('on every rule of the audit and their order, in docs/analysts/audit.md (R18.2)', () => {
    expect(captured('docs/analysts/audit.md', /^- `([a-z_]+\.[a-z_]+)`:/gm)).toEqual(ruleCodes);
  });

  it('on the columns of CSV that may begin with an apostrophe, in docs/operators/exports.md', () => {
    const [sentence = ''] = captured(
      'docs/operators/exports.md',
      /(The columns with apostrophes are [^]*?\. Excel)/g,
    );
    const documented = [...sentence.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const columns = [
      activityCsv,
      balancesCsv,
      deliveriesCsv,
      statementFindingsCsv,
      journalCsv,
      statementsCsv,
    ].flatMap((list) => list({}).columns);
    columns.push(...operationsCsv({}, async () => ({})).columns);
    const foreign = columns.filter((column) => column.foreign).map(({ name }) => name);
    expect(documented.filter((name) => !foreign.includes(name))).toEqual([]);
    // The sentence covers further texts of a create.
    const undocumented = foreign.filter((name) => !documented.includes(name));
    expect(undocumented.filter((name) => !(name in requestTexts))).toEqual([]);
  });

  it('on every setting of a shop: `npm run openapi` describes them', () => {
    const wordsOf = (text: string) => text.trim().split(/\s+/);
    expect(wordsOf(textOf(settingsReferenceFile))).toEqual(wordsOf(describeSettings()));
  });

  it('on every table, view and column: `npm run projections -- reference` describes them', () => {
    const wordsOf = (text: string) => text.trim().split(/\s+/);
    const page = textOf('docs/analysts/read-models-reference.md');
    expect(wordsOf(page)).toEqual(wordsOf(describeSchema(readModels, views)));
    const tables = readModels.flatMap((model) => model.tables);
    const comments = [
      ...tables.flatMap(({ comment, columns }) => [
        comment,
        ...Object.values(columns).map((column) => column.comment),
      ]),
      ...views.flatMap(({ comment, columns }) => [comment, ...Object.values(columns)]),
    ];
    expect(comments).not.toContain('');
    const names = [...tables, ...views].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('on the options of the sandbox provider and of its bank', () => {
    const provider = textOf('docs/merchants/sandbox-provider.md');
    const options = Object.keys(optionsSchema.shape);
    expect(options.filter((name) => !provider.includes(`- \`${name}:`))).toEqual([]);
    const bank = textOf('docs/merchants/sandbox-bank.md');
    expect(missingIn(bank, Object.keys(behaviourSchema.shape))).toEqual([]);
  });
});
