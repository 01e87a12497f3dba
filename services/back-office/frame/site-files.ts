import { createAssets, icon, scripts, styles } from '#shared/platform/pages/index.ts';

type Own = { styles: readonly URL[]; scripts: readonly URL[] };

/** The files that the pages of a site load: those of both sites, and its own. */
export function siteFiles(name: 'console' | 'portal', own: Own = { styles: [], scripts: [] }) {
  const { theme, sections, copy, zone, keepCurrent, watch, export: exported } = scripts;
  const assets = createAssets<string>({
    [`${name}.css`]: [...Object.values(styles), ...own.styles],
    [`${name}.js`]: [theme, sections, copy, zone, keepCurrent, watch, exported, ...own.scripts],
    'icon.svg': [icon],
  });
  return { assets, name };
}

export type SiteFiles = ReturnType<typeof siteFiles>;
