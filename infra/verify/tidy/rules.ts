/** A rule of docs/rules.md, with the tests that it names. */
export type Rule = {
  readonly chapter: number;
  readonly number: number;
  readonly name: string;
  readonly tests: readonly { file: string; title: string }[];
};

/** Each rule is an item of a list, and each of its tests an item below it. */
export function rulesIn(text: string): Rule[] {
  return text
    .split(/^(?=- \*\*R)/m)
    .slice(1)
    .map((item) => {
      const [, name = '', chapter, number] = /^- \*\*(R(\d+)\.(\d+))\*\* /.exec(item) ?? [];
      const tests = [...item.matchAll(/^ {2}- `([^`]+\.test\.ts)`: `([^`]+)`$/gm)];
      return {
        chapter: Number(chapter),
        number: Number(number),
        name,
        tests: tests.map(([, file = '', title = '']) => ({ file, title })),
      };
    });
}
