export { clientIdText, nameText, noteText, textOf } from '#shared/platform/http/texts.ts';
