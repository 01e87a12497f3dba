import { createAssets, icon, scripts, styles } from '#shared/platform/pages/index.ts';

const own = (name: string) => new URL(name, import.meta.url);

/** All files that the page loads. */
export const assets = createAssets({
  'pay.css': [
    styles.tokens,
    styles.base,
    styles.layout,
    styles.button,
    styles.badge,
    styles.card,
    styles.notice,
    styles.form,
    own('view/pay.css'),
  ],
  'theme.js': [scripts.theme],
  'copy.js': [scripts.copy],
  'pay.js': [scripts.keepCurrent, own('view/pay.client.js')],
  'icon.svg': [icon],
});
