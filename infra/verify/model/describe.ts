import type { ModelSearch } from './search.ts';
import type { OperationKind } from './world.ts';

/** The result of a search; a violation is shown as a test. */
export function describeFound(kind: OperationKind, found: ModelSearch): string {
  if (found.violation === undefined)
    return `${kind}: ${found.states} states, the deepest after ${found.depth} moves, ${found.whole ? 'all of them' : 'as many as wanted'}: nothing found`;
  const { path, violation, states } = found;
  const last = path.at(-1);
  const lines = (steps: typeof path) =>
    steps.flatMap(({ name, events }) => [
      `  // ${name}`,
      ...events.map((event) => `  ${JSON.stringify(event)},`),
    ]);
  return [
    `${kind}: found after ${states} states: ${violation}`,
    'given(',
    ...lines(path.slice(0, -1)),
    `)\n.when('${last?.name}')\n.then(`,
    ...lines(last ? [last] : []).slice(1),
    ')',
  ].join('\n');
}
