import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { describeFound } from './describe.ts';
import { plants } from './plants.ts';
import { search } from './search.ts';
import { operationKinds } from './world.ts';

/** `npm run verify -- model`: every order of events of one operation, instead of random ones. */
const usage = `usage: npm run verify -- model [--states N] [--plants]

Searches every order of a create, its provider's answers and reports, a cancel, a receipt, reviews, a
close, timeouts and crashes, shortest first (docs/developers/model.md). Exits with 1 at a
violation of a rule, and prints the path to it.

  --states <number>  the most states of each kind; default 150,000
  --plants           breaks one rule after the other, each of which must be found
`;
const { values } = readCommandLine(usage, {
  options: {
    states: { type: 'string', default: '150000' },
    plants: { type: 'boolean', default: false },
  },
});
const maxStates = Number(values.states);
if (!Number.isInteger(maxStates) || maxStates < 1)
  refuseCommandLine(usage, 'Write --states with a number, such as 150000');
const print = (text: string) => process.stdout.write(`${text}\n`);

if (values.plants) {
  for (const { name, kind, broken } of plants) {
    const found = search(kind, { maxStates, broken });
    print(`${name}\n  ${describeFound(kind, found).replaceAll('\n', '\n  ')}`);
    if (found.violation === undefined) process.exitCode = 1;
  }
} else {
  for (const kind of operationKinds) {
    const beganMs = performance.now();
    const found = search(kind, { maxStates });
    print(
      `${describeFound(kind, found)} in ${Math.round((performance.now() - beganMs) / 1_000)} s`,
    );
    if (found.violation !== undefined) process.exitCode = 1;
  }
}
