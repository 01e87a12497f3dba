import { fileURLToPath } from 'node:url';
import { newConnector } from './new.ts';

const [command, name = ''] = process.argv.slice(2);
const say = (text: string) => void process.stdout.write(`${text}\n`);
const root = fileURLToPath(new URL('../..', import.meta.url));
const made =
  command === 'new' ? newConnector(root, name) : { fault: 'usage: npm run connector -- new <name>' };
if ('fault' in made) {
  process.stderr.write(`${made.fault}\n`);
  process.exitCode = 2;
} else {
  say(made.files.join('\n'));
  say(
    `\nnpm run test:file -- shared/application/providers/${name} --bail 1   # fails until readOrder reads an answer`,
  );
  say('docs/developers/connectors.md goes on from here');
}
