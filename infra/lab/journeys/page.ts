import type { TestRecording, JourneyStep } from '#infra/verify/harness/browser/recorder.ts';
import { markdownTable } from '#infra/verify/harness/figures/tables.ts';

/** A role, and the tests of its journeys. */
type Journey = { readonly who: string; readonly tests: readonly string[] };

export const journeys: readonly Journey[] = [
  {
    who: 'A newcomer',
    tests: ['a newcomer creates a payment, watches it being paid, and finds it in the console'],
  },
  {
    who: 'A payer',
    tests: [
      'a payer copies the details, transfers, and sees that the payment is paid',
      'a payer is warned of a file that is not a PDF before it is sent, and replaces it',
    ],
  },
  {
    who: 'A merchant’s staff',
    tests: [
      'an admin signs in by a link, reads a payment and its webhook, issues a key and adds a member',
    ],
  },
  {
    who: 'An operator',
    tests: [
      'an admin on a phone searches from any page, and sees the amount in the row',
      'an admin sees a picture, and decides on several receipts by keyboard',
      'an operator switches a provider off and on, with reasons',
      'an admin signs in, sets up a shop with a route and a key, and revokes the key',
    ],
  },
  {
    who: 'An analyst',
    tests: ['an analyst runs two queries in SQL, and exports the read models as Parquet'],
  },
  {
    who: 'An auditor',
    tests: ['an auditor runs an audit, saves the report, and finds the audit in the console'],
  },
  {
    who: 'A merchant’s developer',
    tests: ['a developer follows the guide to a payment, looks up an error and receives webhooks'],
  },
];

const head = ['at, s', 'where', 'what one does', 'what is there then', 'after, s'];
const seconds = (ms: number) => (ms / 1_000).toFixed(ms < 9_950 ? 2 : 1);
/** Escapes Markdown in text that was typed or shown. */
const escaped = (text: string) => text.replaceAll(/[*_<>`[\]\\]/g, '\\$&');

function stepCells({ atMs, sawMs, where, did, saw }: JourneyStep): string[] {
  const after = sawMs === undefined ? '' : seconds(sawMs - atMs);
  return [seconds(atMs), where, escaped(did), escaped(saw.filter(Boolean).join(' → ')), after];
}

/** The page of all journeys. @throws for a test without recorded steps */
export function renderJourneys(recordings: readonly TestRecording[], about: string): string {
  const parts = journeys.map(({ who, tests }) => {
    const sections = tests.map((name) => {
      const recording = recordings.find(({ test }) => test.endsWith(`> ${name}`));
      if (!recording || recording.steps.length === 0)
        throw new Error(`no steps were recorded for “${name}”`);
      const { steps } = recording;
      const endMs = Math.max(...steps.map(({ atMs, sawMs = atMs }) => sawMs));
      const summary = `${steps.length} steps, ${seconds(endMs)} s: ${name}.`;
      return `${summary}\n\n${markdownTable(head, steps.map(stepCells))}`;
    });
    return `## ${who}\n\n${sections.join('\n\n')}`;
  });
  return `${about.trim()}\n\n${parts.join('\n\n')}\n`;
}
