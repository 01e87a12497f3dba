import { readFileSync } from 'node:fs';
import { codeLanguageNames, type Code } from '../markdown/code.ts';

const folder = new URL('.', import.meta.url);
const verifiers = new URL('../../../clients/webhook-verifier/', import.meta.url);

/** Where the client is in a folder that `installCommand` has filled. */
const installed = './gateway-client/typescript/index.js';

/** Takes the client and the verifiers from the gateway itself. */
export const installCommand = 'curl -sS "$GATEWAY/docs/client.tgz" | tar xz';

/** A program in one of its languages, as a reader would save it; the tests run just this. */
export function program(name: string, extension: 'sh' | 'ts' | 'py'): string {
  const source = readFileSync(new URL(`${name}.${extension}`, folder), 'utf8');
  return source
    .replace(/^\/\/ oxlint-disable.*\n/, '')
    .replace(`'#clients/typescript/index.ts'`, `'${installed}'`);
}

const extensions: Readonly<Record<string, readonly ('sh' | 'ts' | 'py')[]>> = {
  guide: ['sh', 'ts', 'py'],
  webhook: ['ts', 'py'],
};

/**
 * One part of a program, from its mark to the next one, in every language. @throws if there is
 * none
 */
export function readProgramPart(name: string, part: string): Code[] {
  return (extensions[name] ?? []).map((extension) => {
    const pieces = program(name, extension).split(/^(?:#|\/\/) --- (\w+)\n/m);
    const code = pieces[pieces.indexOf(part) + 1];
    if (pieces.indexOf(part) % 2 !== 1 || code === undefined)
      throw new Error(`${name} has no part ${part}`);
    return {
      language: extension,
      label: extension === 'sh' ? 'curl' : (codeLanguageNames[extension] ?? extension),
      code: code.trim(),
    };
  });
}

/** The verifiers, whole. */
export const verifierCodes = (): Code[] =>
  ['ts', 'py', 'php', 'go'].map((language) => ({
    language,
    label: codeLanguageNames[language] ?? language,
    code: readFileSync(new URL(`verify.${language}`, verifiers), 'utf8').trim(),
  }));
