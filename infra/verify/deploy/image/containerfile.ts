import { readFileSync } from 'node:fs';

export type Instruction = { name: string; text: string };
export type BuildStage = { base: string; alias: string | undefined; instructions: Instruction[] };

/** Parses the stages of a Containerfile; ARG and here-documents are not supported. */
export function readContainerfile(file: string): BuildStage[] {
  const text = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ');
  const stages: BuildStage[] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') {
      const [, base = '', alias] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? [];
      stages.push({ base, alias, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${name} before FROM`);
      stage.instructions.push({ name, text: rest });
    }
  }
  return stages;
}

/** The arguments of an instruction without its flags. */
export function instructionArguments({ text }: Instruction): string[] {
  return text.split(/\s+/).filter((part) => !part.startsWith('--'));
}

export function findFlag({ text }: Instruction, flag: string): string | undefined {
  return new RegExp(`--${flag}=(\\S+)`).exec(text)?.[1];
}
