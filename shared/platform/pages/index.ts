/** The design system of every page (README.md in this folder). */
export { createAssets, type Assets } from './assets.ts';
export { badge, copyButton, notice, type Tone } from './components.ts';
export { errorContent, errorText } from './error-page.ts';
export { formatAmount, formatDecimal, formatTime } from './format.ts';
export { html, raw, textOf, type Html } from './html.ts';
export { languages, type Language, type Translated } from './language.ts';
export { page } from './layout.ts';
export { pictogram, type Pictogram } from './pictogram.ts';
export {
  keepPreferences,
  languageIn,
  preferencesOf,
  switchTo,
  type Preferences,
} from './preferences.ts';
export { pageHeaders, refuseCrossSite, securePages } from './security.ts';
export { icon, scripts, styles } from './styles.ts';
