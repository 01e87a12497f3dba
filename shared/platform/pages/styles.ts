import { themeTokens } from './styles/tokens.ts';

const file = (name: string) => new URL(`styles/${name}.css`, import.meta.url);

/**
 * The design system's styles, a file each: a page combines those that it needs, `tokens` and `base`
 * first. See README.md in this folder.
 */
export const styles = {
  tokens: themeTokens,
  base: file('base'),
  layout: file('layout'),
  button: file('button'),
  badge: file('badge'),
  card: file('card'),
  notice: file('notice'),
  form: file('form'),
  table: file('table'),
  dialog: file('dialog'),
  code: file('code'),
  timeline: file('timeline'),
  chart: file('chart'),
  frame: file('frame'),
  parts: file('parts'),
} as const;

const script = (name: string) => new URL(`scripts/${name}.client.js`, import.meta.url);

/** Scripts that pages share: each adds to what works without it. */
export const scripts = {
  theme: script('theme'),
  sections: script('sections'),
  copy: script('copy'),
  zone: script('zone'),
  keepCurrent: script('keep-current'),
  watch: script('watch'),
  export: script('export'),
} as const;

/** The picture in a browser's tab. */
export const icon = new URL('icon.svg', import.meta.url);
