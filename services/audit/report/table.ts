import { html, type Html } from '#shared/platform/pages/index.ts';

type Header = string | { number: string };

/** A table with a header for each column, at the right above numbers. */
export const renderReportTable = (headers: readonly Header[], rows: readonly Html[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${headers.map((header) =>
          typeof header === 'string'
            ? html`<th scope="col">${header}</th>`
            : html`<th scope="col" class="number">${header.number}</th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
