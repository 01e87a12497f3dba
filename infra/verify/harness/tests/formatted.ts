import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const oxfmt = fileURLToPath(new URL('../../../../node_modules/oxfmt/bin/oxfmt', import.meta.url));

/** A generated text as `npm run format` would leave it in the file of that path. */
export function formatted(path: string, text: string): string {
  const args = [oxfmt, '--stdin-filepath', path];
  return execFileSync(process.execPath, args, { cwd: root, input: text, encoding: 'utf8' });
}
