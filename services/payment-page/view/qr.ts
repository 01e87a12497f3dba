import { encodeQR } from 'qr';
import { html, raw, type Html } from '#shared/platform/pages/index.ts';

/** The quiet zone, without which cameras do not find the code. */
const quiet = 4;

/**
 * A QR code as one picture: dark on light in either theme, because not every camera reads the
 * inverse.
 */
export function qrCode(text: string, label: string): Html {
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: quiet });
  const size = rows.length;
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path fill="#000" d="${raw(rows.map(drawRuns).join(''))}" />
  </svg>`;
}

/** The dark modules of a row, adjacent ones merged. */
function drawRuns(row: readonly boolean[], y: number): string {
  const runs = row
    .map((dark) => (dark ? '1' : '0'))
    .join('')
    .matchAll(/1+/g);
  return Array.from(runs, ({ index, 0: run }) => {
    const { length } = run;
    return `M${index} ${y}h${length}v1h-${length}z`;
  }).join('');
}
