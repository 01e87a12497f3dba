import { siteFiles } from '../frame/site-files.ts';

const own = (path: string) => new URL(path, import.meta.url);

export const files = siteFiles('console', {
  styles: [own('styles/pages.css')],
  scripts: [own('scripts/keys.client.js'), own('scripts/live.client.js')],
});
