import { html, type Html } from '#shared/platform/pages/index.ts';

const email = /[\p{L}\d._+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/u;
/** With a country's code or a leading 8 or 0, so that an order's number or a day is none. */
const phone =
  /(?<![\d+])(?:\+(?!7)\d(?:[\s().-]{0,2}\d){6,14}|(?:\+7|8)(?:[\s()-]{0,2}\d){10}|0(?:[\s()-]{0,2}\d){8,10})(?!\d)/u;
const contacts = new RegExp(`(${email.source}|${phone.source})`, 'u');

/** A shop's contact, as it wrote it: numbers and addresses in it can be called and written to. */
export const contactLinks = (text: string): Html =>
  html`${text.split(contacts).map((part, index) => (index % 2 === 1 ? link(part) : part))}`;

function link(contact: string): Html {
  const href = contact.includes('@')
    ? `mailto:${contact}`
    : `tel:${contact.replaceAll(/[^\d+]/g, '')}`;
  return html`<a href="${href}">${contact}</a>`;
}
