import type { TextFile } from './tree.ts';

const isTest = (path: string) => /\.test\.ts$|(?:^|\/)testing\/|^acceptance\//.test(path);
// The client is for merchants, in words of its own; entry points have the names that their callers
// expect.
const isConvention = (path: string, name: string) =>
  /^(?:clients|infra\/verify\/client-types)\//.test(path) ||
  /^(?:setup|teardown|service|endpoints)$/.test(name);

const findNames = (files: readonly TextFile[], pattern: RegExp) =>
  files
    .filter(({ path }) => path.endsWith('.ts') && !isTest(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(([, name = '']) => ({ path, name })),
    );

const functions =
  /^\s*(?:export )?(?:async )?(?:function |const )(\w+Of)\b\s*(?:=\s*(?:async\s*)?(?:\(|<|\w+\s*=>)|\(|<)/gm;

/** Functions whose name says whose something is, not what they do, as `path: name`. */
export const findOfNames = (files: readonly TextFile[]): string[] =>
  findNames(files, functions).map(({ path, name }) => `${path}: ${name}`);

const participles =
  /^\s*(?:export )?(?:type|interface|class) ([A-Z][a-z]+(?:ed|ing|wn|ept|old|und|iven|one|ade))\b/gm;
const nouns = /^(?:Bound|Encoding|Feed|Heading|Timing)$/;

/** Types that are named by a participle, not by a noun, as `path: name`. */
export const typesNamedByParticiple = (files: readonly TextFile[]): string[] =>
  findNames(files, participles)
    .filter(({ name }) => !nouns.test(name))
    .map(({ path, name }) => `${path}: ${name}`);

const exported =
  /^export (?:declare )?(?:async )?(?:function|const|class|type|interface|enum) (\w+)/gm;

/** Names that several files export, each with these files. */
export function namesOfSeveralExports(files: readonly TextFile[]): string[] {
  const pathsByName = Map.groupBy(
    findNames(files, exported).filter(({ path, name }) => !isConvention(path, name)),
    ({ name }) => name,
  );
  return [...pathsByName].flatMap(([name, places]) => {
    const paths = [...new Set(places.map(({ path }) => path))];
    return paths.length > 1 ? [`${name}: ${paths.join(', ')}`] : [];
  });
}
