import { isDeepStrictEqual } from 'node:util';
import { mutatedFiles, unchanged, type Mutated } from './mutations.ts';
import { pythonVerdicts } from './python.ts';
import type { Json } from './statements.ts';
import { verdictOn } from './verdict.ts';

type Compared = {
  /** Of which the verifiers print different lines. */
  different: { file: string; typescript: string; python: string | undefined }[];
  accepted: number;
  refused: number;
  /** How many different reasons they were refused for, apart from numbers and names in them. */
  reasons: number;
  /** Accepted, though they show other figures than what was hashed and signed. */
  misleading: string[];
};

const batchSize = 2_000;

/** Verifies mutated files in both languages. */
export function compareVerdicts({ seed, count }: { seed: number; count: number }): Compared {
  const compared: Compared = { different: [], accepted: 0, refused: 0, reasons: 0, misleading: [] };
  const reasons = new Set<string>();
  for (let made = 0; made < count; made += batchSize) {
    const size = Math.min(batchSize, count - made);
    const files = [...mutatedFiles({ seed: seed + made, count: size })];
    const python = pythonVerdicts(files);
    for (const [at, file] of files.entries()) {
      const line = verdictOn(file);
      if (line !== python[at])
        compared.different.push({ file: show(file), typescript: line, python: python[at] });
      if (line.startsWith('not proved: ')) {
        compared.refused += 1;
        reasons.add(line.replaceAll(/\(.*?\)|[-\d.:TZ]+/g, ''));
        continue;
      }
      compared.accepted += 1;
      if (!file.rewritten && showsOther(file)) compared.misleading.push(show(file));
    }
  }
  return { ...compared, reasons: reasons.size };
}

const show = ({ statement, previous }: Mutated): string =>
  `${String(statement)} ${String(previous)}`;

/** Any period without other entries is right, and any older tree that the proof leads from. */
function showsOther({ statement }: Mutated): boolean {
  const proved = ({ from: _from, to: _to, consistency: _consistency, ...rest }: Json): Json => rest;
  return !isDeepStrictEqual(proved(JSON.parse(String(statement))), proved(unchanged.statement));
}
