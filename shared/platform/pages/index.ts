/** The design system of every page (README.md in this folder). */
export { createAssets, type Assets } from './assets.ts';
export { badge, copyButton, notice, type Tone } from './components.ts';
export { errorContent, errorPageText } from './error-page.ts';
export { formatAmount, formatDecimal, formatMoment, formatTime } from './format.ts';
export { html, raw, renderToText, type Html } from './html.ts';
export { languages, type Language, type Translations } from './language.ts';
export { htmlPage } from './layout.ts';
export { pictogram, type Pictogram } from './pictogram.ts';
export {
  keepPreferences,
  languageIn,
  readPreferences,
  switchTo,
  type Preferences,
} from './preferences.ts';
export { pageHeaders, refuseCrossSite, securePages } from './security.ts';
export { icon, scripts, styles } from './styles.ts';
