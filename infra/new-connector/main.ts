import { fileURLToPath } from 'node:url';
import { readCommandLine, refuseCommandLine } from '#shared/platform/command-line.ts';
import { newConnector } from './new-connector.ts';

const usage = `usage: npm run connector -- new <name>

Creates shared/application/providers/<name>/ from a template and registers it, as the start of a
connector to a provider. Next steps: docs/developers/connectors.md
`;
const { positionals } = readCommandLine(usage, { allowPositionals: true });
const [command, name = '', ...more] = positionals;
if (command !== 'new' || more.length > 0) refuseCommandLine(usage, 'Write: new <name>');
const made = newConnector(fileURLToPath(new URL('../..', import.meta.url)), name);
if ('fault' in made) refuseCommandLine(usage, made.fault);
process.stdout.write(`${made.files.join('\n')}

npm run test:file -- shared/application/providers/${name} --bail 1   # fails until readOrder reads an answer
docs/developers/connectors.md goes on from here
`);
