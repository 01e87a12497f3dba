import { siteFiles } from '../frame/site-files.ts';
import { consoleName } from './session/tables.ts';

const own = (path: string) => new URL(path, import.meta.url);

export const consoleFiles = siteFiles(consoleName, {
  styles: [own('styles/pages.css')],
  scripts: [own('scripts/keys.client.js'), own('scripts/live.client.js')],
});
