/**
 * Colours by role. Text has a contrast of at least 4.5 (AA) with its background, borders of
 * controls 3.
 */
const light = {
  page: '#f4f5f8',
  surface: '#ffffff',
  sunken: '#eef0f4',
  text: '#161a22',
  muted: '#545c6b',
  line: '#dde1e8',
  'line-strong': '#838b9a',
  accent: '#2450c8',
  'accent-hover': '#1b3fa3',
  'accent-ink': '#ffffff',
  'accent-soft': '#e7edfc',
  focus: '#2450c8',
  success: '#0a6638',
  'success-soft': '#e1f4e9',
  warning: '#764800',
  'warning-soft': '#fdf0d5',
  danger: '#a51d1d',
  'danger-soft': '#fde9e8',
  'danger-solid': '#b42323',
  info: '#1f4ab3',
  'info-soft': '#e7edfc',
  neutral: '#4a5260',
  'neutral-soft': '#eaecf1',
  'series-1': '#2450c8',
  'series-2': '#0d7a5f',
  'series-3': '#a85b00',
  shadow: '0 1px 2px rgb(22 26 34 / 6%), 0 8px 24px rgb(22 26 34 / 7%)',
  'in-light': 'inline-flex',
  'in-dark': 'none',
} as const;

const dark: Readonly<Record<keyof typeof light, string>> = {
  page: '#0f1217',
  surface: '#181c23',
  sunken: '#20252e',
  text: '#e9ebef',
  muted: '#a5adbb',
  line: '#2d343f',
  'line-strong': '#727c8d',
  accent: '#8eb0ff',
  'accent-hover': '#adc6ff',
  'accent-ink': '#0b1530',
  'accent-soft': '#1c2947',
  focus: '#8eb0ff',
  success: '#7bdba2',
  'success-soft': '#122d1e',
  warning: '#f3c56f',
  'warning-soft': '#33270e',
  danger: '#ff9f98',
  'danger-soft': '#3a1b1b',
  'danger-solid': '#ff9f98',
  info: '#a8c2ff',
  'info-soft': '#1c2947',
  neutral: '#bac1cd',
  'neutral-soft': '#272d37',
  'series-1': '#8eb0ff',
  'series-2': '#5fd0ae',
  'series-3': '#f0ae5b',
  shadow: '0 0 0 1px #2d343f',
  'in-light': 'none',
  'in-dark': 'inline-flex',
};

const shared = {
  'font-text':
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif',
  'font-code':
    'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "Noto Sans Mono", "DejaVu Sans Mono", monospace',
  radius: '0.75rem',
  'radius-small': '0.5rem',
};

const block = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value};`)
    .join('');

/**
 * The custom properties: light, dark if the system is dark, and either if the reader has chosen
 * (`data-theme`). The dark ones are repeated because older phones lack `light-dark()`.
 */
export const themeTokens = `:root{color-scheme:light dark;${block(shared)}${block(light)}}
:root[data-theme=light]{color-scheme:light}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${block(dark)}}}
:root[data-theme=dark]{color-scheme:dark;${block(dark)}}`;
