import { randomUUID } from 'node:crypto';

/** A small PDF, other bytes with each call. */
export function pdf(): string {
  return [
    '%PDF-1.4',
    `% ${randomUUID()}`,
    '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
    '2 0 obj << /Type /Pages /Kids [] /Count 0 >> endobj',
    'trailer << /Root 1 0 R >>',
    '%%EOF',
    '',
  ].join('\n');
}
