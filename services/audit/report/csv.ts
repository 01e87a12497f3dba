import { rules } from '#shared/domain/audit/rules.ts';
import type { Language } from '#shared/platform/pages/index.ts';
import { csvLine, type Cell } from '#shared/platform/csv/line.ts';
import type { TracedFinding } from './trace-findings.ts';

const own = (value: string | number | undefined): Cell => ({
  value: value === undefined ? null : String(value),
  foreign: false,
});
/** Any writer of the log may have written its text. */
const foreign = (value: string | undefined): Cell => ({ value: value ?? null, foreign: true });

const columns: readonly [
  name: string,
  cell: (finding: TracedFinding, language: Language) => Cell,
][] = [
  ['rule', ({ rule }) => own(rule)],
  ['meaning', ({ rule }, language) => own(rules[rule][language])],
  ['shop_id', ({ shopId }) => foreign(shopId)],
  ['stream', ({ stream }) => foreign(stream)],
  ['revision', ({ revision }) => own(revision)],
  ['position', ({ position }) => own(position)],
  ['event_id', ({ event }) => foreign(event?.id)],
  ['event_type', ({ event }) => foreign(event?.type)],
  ['event_at', ({ event }) => own(event?.at)],
  ['actor', ({ event }) => foreign(event?.actor)],
  ['message', ({ message }) => foreign(message)],
];

/** The printed findings, one per record, with a byte order mark for spreadsheets. */
export const auditFindingsCsv = (findings: readonly TracedFinding[], language: Language): string =>
  [
    `\uFEFF${csvLine(columns.map(([name]) => own(name)))}`,
    ...findings.map((finding) => csvLine(columns.map(([, cell]) => cell(finding, language)))),
  ].join('');
